import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ObservedList } from '../../../test/harness/changes.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { TestClient } from '../../../test/harness/smtp-client.ts'
import { startListener } from '../../../test/harness/smtp-listener.ts'

const KILOBYTE = 1024

test('a message that is announced as too large is refused before it is sent', async () => {
  const { port } = await startListener({ maxMessageBytes: 1_000 })
  const client = await TestClient.ready(port)

  expect(await client.ask('MAIL FROM:<ada@example.org> SIZE=1001')).toMatch(/^552 5\.3\.4 /)
  expect(await client.ask('MAIL FROM:<ada@example.org> SIZE=1000')).toMatch(/^250 /)
})

test('a message that turns out too large is not kept, and the session goes on', async () => {
  const { port, listener, taken } = await startListener({ maxMessageBytes: 100 * KILOBYTE })
  const client = await TestClient.ready(port)

  await client.startMessage()
  const line = Buffer.from(`${'x'.repeat(1022)}\r\n`)
  let mostBytes = 0
  for (let n = 0; n < 2_000; n++) {
    client.write(line)
    if (n % 20 === 0) await new Promise((resolve) => client.socket.write('', resolve))
    mostBytes = Math.max(mostBytes, listener.load.messageBytes)
  }
  client.write('.\r\n')

  expect(await client.reply()).toBe('552 5.3.4 Message exceeds the maximum size of 102400 bytes')
  expect(mostBytes).toBeLessThanOrEqual(200 * KILOBYTE)
  expect(await client.deliver('x'.repeat(100 * KILOBYTE - 2))).toMatch(/^250 /)
  expect(taken.map(({ raw }) => raw.length)).toEqual([100 * KILOBYTE])
})

test('a header that is too large is not kept, and the session goes on', async () => {
  const { port, listener, taken } = await startListener()
  const client = await TestClient.ready(port)
  const large = [`X: ${'x'.repeat(990)}\r\n`.repeat(600), 'X: y\r\n'.repeat(2_001), `X:${'\r\n y'.repeat(200_000)}\r\n`]

  for (const header of large) {
    await client.startMessage()
    client.write(`${header}\r\nText\r\n.\r\n`)

    expect(await client.reply()).toBe('552 5.3.4 Message header exceeds 524288 bytes or 2000 fields')
    expect(listener.load.messageBytes).toBe(0)
  }

  expect(await client.deliver(`${'X: y\r\n'.repeat(2_000)}\r\n${'a: b\r\n'.repeat(100_000)}`)).toMatch(/^250 /)
  expect(taken).toHaveLength(1)
})

test('recipients beyond the limit are for another message', async () => {
  const { port, taken } = await startListener({ limits: { recipients: 3, errors: 2 } })
  const client = await TestClient.ready(port)

  await client.ask('MAIL FROM:<ada@example.org>')
  for (const name of ['a', 'b', 'c', 'A']) expect(await client.ask(`RCPT TO:<${name}@example.com>`)).toMatch(/^250 /)
  for (const name of ['d', 'e', 'f']) expect(await client.ask(`RCPT TO:<${name}@example.com>`)).toMatch(/^452 4\.5\.3 /)
  await client.ask('DATA')
  await client.ask('Hi\r\n.')

  expect(taken[0]!.recipients).toHaveLength(3)
})

test('there are only so many sessions, in all and for each address, and who leaves makes room', async () => {
  const { port, tlsPort } = await startListener({ limits: { sessionsPerAddress: 2 } })
  const first = await TestClient.ready(port)
  const second = await TestClient.ready(port)
  await second.startTls()

  const third = TestClient.plain(port)
  expect(await third.reply()).toBe('421 mx.test Too many connections, try again later')
  expect(await third.rest()).toBe('')
  expect(await TestClient.encrypted(tlsPort).reply()).toBe('')
  await first.ask('QUIT')
  await first.rest()
  second.hangUp()
  await second.rest()

  await expect.poll(async () => (await TestClient.plain(port).reply()).slice(0, 3)).toBe('220')
})

test('who only makes mistakes is sent away', async () => {
  const { port } = await startListener({ limits: { errors: 4 } })
  const client = await TestClient.ready(port)

  const replies = []
  for (const line of ['FOO', 'MAIL FROM:<nobody>', 'RCPT TO:<a@example.com>']) replies.push(await client.ask(line))
  expect(replies.map((reply) => reply.slice(0, 3))).toEqual(['500', '553', '503'])
  expect(await client.ask('BAR')).toMatch(/^500 /)
  expect(await client.reply()).toBe('421 4.7.0 Too many errors')
  expect(await client.rest()).toBe('')
})

test('who tries one recipient after another is sent away, and a message that is taken wipes the slate', async () => {
  const { port } = await startListener({
    limits: { errors: 3 },
    handler: {
      checkRecipient: async (to) =>
        to.startsWith('bob') ? null : { code: 550, enhanced: '5.1.1', message: 'Nobody here' },
    },
  })
  const client = await TestClient.ready(port)

  for (let n = 0; n < 3; n++) {
    await client.ask('MAIL FROM:<ada@example.org>')
    expect(await client.ask('RCPT TO:<a@example.com>')).toBe('550 5.1.1 Nobody here')
    expect(await client.ask('RCPT TO:<b@example.com>')).toBe('550 5.1.1 Nobody here')
    await client.ask('RCPT TO:<bob@example.com>')
    await client.ask('DATA')
    expect(await client.ask('Hi\r\n.')).toMatch(/^250 /)
  }
  await client.ask('MAIL FROM:<ada@example.org>')
  client.write('RCPT TO:<a@x.test>\r\nRCPT TO:<b@x.test>\r\nRCPT TO:<c@x.test>\r\nRCPT TO:<d@x.test>\r\n')

  expect((await client.replies(4)).map((reply) => reply.slice(0, 3))).toEqual(['550', '550', '550', '421'])
  expect(await client.rest()).toBe('')
})

test('a session has only so many messages', async () => {
  const { port, taken } = await startListener({ limits: { messagesPerSession: 2 } })
  const client = await TestClient.ready(port)

  await client.deliver('One')
  await client.deliver('Two')

  expect(await client.ask('MAIL FROM:<ada@example.org>')).toMatch(/^421 4\.7\.0 /)
  expect(await client.rest()).toBe('')
  expect(taken).toHaveLength(2)
})

test('who says nothing is asked to leave', async () => {
  const { port } = await startListener({ limits: { commandMs: 60 } })
  const client = TestClient.plain(port)
  await client.reply()

  expect(await client.reply()).toBe('421 4.4.2 Timeout, closing the connection')
  expect(await client.rest()).toBe('')
})

/** Sends a byte whenever a few milliseconds have passed, until the other side hangs up. */
async function trickle(client: TestClient, byte = 'x') {
  const timer = setInterval(() => client.write(byte), 5)
  const rest = await client.rest()
  clearInterval(timer)
  return rest
}

/** For a listener whose time passes when the test says so: on a busy machine nobody is too slow before. */
function takeTheTime() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

/** Lets time pass. Who trickles sends a byte in every step of it, which arrives. */
async function pass(milliseconds: number, trickling?: TestClient) {
  for (let passed = 0; passed < milliseconds; passed += 5) {
    trickling?.write('x')
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    vi.advanceTimersByTime(5)
  }
}

test('a byte now and then is no command', async () => {
  takeTheTime()
  const { port } = await startListener({ limits: { commandMs: 300 } })
  const client = await TestClient.ready(port)

  await pass(400, client)

  expect(await client.rest()).toBe('421 4.4.2 Timeout, closing the connection\r\n')
})

test('a byte now and then is no handshake, with STARTTLS or without', async () => {
  const { port, tlsPort, listener } = await startListener({ limits: { handshakeMs: 200 } })
  const client = await TestClient.ready(port)
  await client.ask('STARTTLS')

  await Promise.all([
    trickle(client, '\x16'),
    trickle(TestClient.plain(tlsPort), '\x16'),
    TestClient.plain(tlsPort).rest(),
  ])

  await expect.poll(() => listener.load.sessions).toBe(0)
})

test('a message may not stand still, nor trickle for ever', async () => {
  takeTheTime()
  const { port, listener, taken } = await startListener({ limits: { silenceMs: 80, dataMs: 200 } })
  const silent = await TestClient.ready(port)
  const slow = await TestClient.ready(port)
  await silent.startMessage()
  await slow.startMessage()
  silent.write('x'.repeat(10_000))

  await pass(300, slow)
  const [silentRest, slowRest] = [await silent.rest(), await slow.rest()]

  expect([silentRest, slowRest]).toEqual(Array(2).fill('421 4.4.2 Timeout, closing the connection\r\n'))
  expect(taken).toEqual([])
  await expect.poll(() => listener.load).toEqual({ sessions: 0, messageBytes: 0 })
})

test('a session ends some time, but not while a message is under way', async () => {
  takeTheTime()
  const [gate, arrived] = [makeGate(), makeGate()]
  const { port } = await startListener({
    limits: { sessionMs: 400 },
    handler: {
      take: async () => {
        arrived.open()
        await gate.opened
        return { kind: 'accepted', message: 'Taken' }
      },
    },
  })
  const idle = await TestClient.ready(port)
  const busy = await TestClient.ready(port)
  await busy.startMessage()
  busy.write('Hi\r\n.\r\n')
  await arrived.opened

  await pass(500)
  expect(await idle.reply()).toMatch(/^421 /)
  gate.open()
  expect(await busy.reply()).toBe('250 2.0.0 Taken')
  await pass(100)
  expect(await busy.reply()).toMatch(/^421 /)
})

test('the handler may take its time', async () => {
  takeTheTime()
  const [gate, arrived] = [makeGate(), makeGate()]
  const { port } = await startListener({
    limits: { commandMs: 300, silenceMs: 300, dataMs: 300 },
    handler: {
      checkRecipient: async () => {
        arrived.open()
        await gate.opened
        return null
      },
    },
  })
  const patient = await TestClient.ready(port)
  const idle = await TestClient.ready(port)
  await patient.ask('MAIL FROM:<ada@example.org>')
  patient.write('RCPT TO:<bob@example.com>\r\n')
  await arrived.opened

  await pass(400)
  await idle.rest()
  gate.open()

  expect(await patient.reply()).toMatch(/^250 /)
})

test('when messages fill the memory others try again later, and nothing is lost', async () => {
  const gate = makeGate()
  const taken = new ObservedList<number>()
  const { port, listener } = await startListener({
    maxMessageBytes: 300 * KILOBYTE,
    limits: { memoryBytes: 400 * KILOBYTE },
    handler: {
      take: async ({ raw }) => {
        taken.push(raw.length)
        await gate.opened
        return { kind: 'accepted', message: 'Taken' }
      },
    },
  })
  const clients = await Promise.all([1, 2, 3].map(() => TestClient.ready(port)))
  const [first, second, third] = clients as [TestClient, TestClient, TestClient]
  await first.startMessage()
  await second.startMessage()
  first.write(`${'x'.repeat(250 * KILOBYTE)}\r\n.\r\n`)
  await taken.until(() => expect(taken.length).toBe(1))

  second.write(`${'x'.repeat(250 * KILOBYTE)}\r\n.\r\n`)
  expect(await second.reply()).toBe('452 4.3.1 Too much mail at the moment, try again later')
  await third.ask(`MAIL FROM:<ada@example.org> SIZE=${200 * KILOBYTE}`)
  await third.ask('RCPT TO:<bob@example.com>')
  expect(await third.ask('DATA')).toMatch(/^452 4\.3\.1 /)
  gate.open()
  expect(await first.reply()).toMatch(/^250 /)
  expect(await second.deliver('x'.repeat(250 * KILOBYTE))).toMatch(/^250 /)
  expect(await third.ask('DATA')).toMatch(/^354 /)
  third.hangUp()

  expect(taken).toEqual([250 * KILOBYTE + 2, 250 * KILOBYTE + 2])
  await expect.poll(() => listener.load.messageBytes).toBe(0)
})
