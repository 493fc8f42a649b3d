import { expect, test } from 'vitest'
import { makeGate } from '../../../test/harness/gate.ts'
import { byteByByte, silence, thenHangUp } from '../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../test/harness/mail-server.ts'
import { startSender } from '../../../test/harness/smtp-sender.ts'

const many = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => make(index))

test('one session serves many mails', async () => {
  const server = await startMailServer()
  const { send, to, sender } = startSender()

  for (let index = 0; index < 5; index++) await send(to(server))

  expect(server.connections.total).toBe(1)
  expect(sender.load()).toEqual([
    { destination: 'example.com', active: 0, idle: 1, waiting: 0, limit: 5, pausedUntil: null },
  ])
})

test('after its share of messages a session ends politely', async () => {
  const server = await startMailServer()
  const { send, to } = startSender({ messagesPerConnection: 2 })

  for (let index = 0; index < 4; index++) await send(to(server))
  await server.closed()

  expect(server.messages.map(({ connection }) => connection)).toEqual([1, 1, 2, 2])
  expect(server.count('QUIT')).toBe(2)
})

test('a session that is ending counts until the server has ended it', async () => {
  const server = await startMailServer()
  const { send, to } = startSender({ messagesPerConnection: 1 })
  const destination = to(server, { maxConnections: 2 })

  await Promise.all(many(12, () => send(destination)))

  expect(server.messages).toHaveLength(12)
  expect(server.connections).toMatchObject({ total: 12, peak: 2 })
})

test('nobody waits for a server that does not answer a goodbye', async () => {
  const server = await startMailServer({ react: ({ step }) => (step === 'QUIT' ? silence : undefined) })
  const { send, to } = startSender({ messagesPerConnection: 1 })
  const destination = to(server, { maxConnections: 1 })

  await send(destination)

  expect(await send(destination)).toMatchObject([{ kind: 'delivered' }])
})

test('an idle session ends politely', async () => {
  const server = await startMailServer()
  const { send, to, sender } = startSender({ idleMs: 20 })
  await send(to(server))

  await server.closed()

  expect(server.count('QUIT')).toBe(1)
  expect(sender.load()).toEqual([])
})

test('connections stay within the limit, and everybody in line gets through in order', async () => {
  const server = await startMailServer()
  const { send, to, sender } = startSender()
  const destination = to(server, { maxConnections: 3 })

  const sending = many(30, (index) => send(destination, { to: [`user${index}@example.com`] }))
  expect(sender.load()).toMatchObject([{ active: 3, waiting: 27, limit: 3 }])
  const outcomes = await Promise.all(sending)

  expect(outcomes.flat().every(({ kind }) => kind === 'delivered')).toBe(true)
  expect(server.connections.peak).toBe(3)
  expect(server.messages).toHaveLength(30)
})

test('who cannot be started on in time comes back untried, and the others keep their place', async () => {
  const server = await startMailServer({
    react: ({ step, count }) => (step === 'MESSAGE' && count === 1 ? byteByByte('250 2.0.0 Ok', 20) : undefined),
  })
  const { sender, send, to, clock } = startSender()
  const destination = to(server, { maxConnections: 1 })
  const envelope = { from: 'a@example.org', to: ['late@example.com'], requireTls: false, needsUtf8: false }
  const first = send(destination)

  const startBefore = new Date(clock.now().getTime() + 20)
  const late = sender.send(destination, envelope, Buffer.from('x'), { startBefore })
  const patient = send(destination)

  expect(await late).toEqual([{ kind: 'postponed', seconds: 30 }])
  expect(server.messages).toHaveLength(0)
  expect(await Promise.all([first, patient])).toMatchObject([[{ kind: 'delivered' }], [{ kind: 'delivered' }]])
  expect(server.seen).toHaveLength(2)
})

test('who is kept from beginning costs nobody a session', async () => {
  const server = await startMailServer()
  const { sender, send, to } = startSender()
  const destination = to(server, { maxConnections: 2 })
  await Promise.all([send(destination), send(destination)])
  const gate = makeGate()
  const fence = { mayBegin: () => gate.opened.then(() => true), isOurs: () => true }
  const envelope = { from: 'a@example.org', to: ['b@example.com'], requireTls: false, needsUtf8: false }

  const kept = sender.send(destination, envelope, Buffer.from('x'), { fence })
  await send(destination)
  expect(sender.load()).toMatchObject([{ active: 1, idle: 2 }])
  gate.open()

  expect(await kept).toMatchObject([{ kind: 'delivered' }])
  expect(server.connections.total).toBe(2)
})

test('five connections to a stranger, unless told otherwise', async () => {
  const server = await startMailServer()
  const { send, to } = startSender()

  await Promise.all(many(20, () => send(to(server))))

  expect(server.connections.peak).toBe(5)
})

test('destinations do not wait for each other', async () => {
  const stuck = await startMailServer({ react: ({ step }) => (step === 'MAIL' ? silence : undefined) })
  const good = await startMailServer()
  const { send, to } = startSender({ timeouts: { envelopeMs: 5_000 } })
  const waiting = many(10, () => send(to(stuck, { name: 'stuck.example' })))

  expect(await send(to(good, { name: 'good.example' }))).toMatchObject([{ kind: 'delivered' }])
  stuck.stop()
  await Promise.all(waiting)
})

test.each([
  ['without a word', null],
  ['with a word', '421 4.4.2 Idle for too long'],
])('a session that the server ended meanwhile, %s, costs the mail nothing', async (_name, farewell) => {
  const server = await startMailServer({
    react: ({ step, messages, connection }) =>
      step === 'MAIL' && messages === 1 && connection === 1
        ? farewell === null
          ? { drop: true }
          : thenHangUp(farewell)
        : undefined,
  })
  const { send, to, sender } = startSender()

  expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
  expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])

  expect(server.connections.total).toBe(2)
  expect(sender.pausedUntil('example.com')).toBe(null)
})

test('a server that ends sessions while they are idle is simply connected to again', async () => {
  const server = await startMailServer()
  const { send, to, sender } = startSender()
  await send(to(server))
  server.react(({ step }) => (step === 'MESSAGE' ? thenHangUp('250 2.0.0 Ok, and goodbye') : undefined))
  await send(to(server))
  await server.closed()

  server.react(() => undefined)
  expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
  expect(server.connections.total).toBe(2)
  expect(sender.load()).toMatchObject([{ idle: 1 }])
})

test('closing sends the waiting home, lets the others finish, and leaves no connection', async () => {
  const server = await startMailServer({
    react: ({ step }) => (step === 'MESSAGE' ? byteByByte('250 2.0.0 Ok, slowly') : undefined),
  })
  const { send, to, sender } = startSender()
  const sending = many(3, () => send(to(server, { maxConnections: 1 })))
  await server.until(() => server.seen.length === 1)

  await sender.close(5_000)

  const untried = { kind: 'postponed', seconds: 0 }
  expect(await Promise.all(sending)).toMatchObject([[{ kind: 'delivered' }], [untried], [untried]])
  expect(await send(to(server))).toEqual([untried])
  expect(sender.load()).toEqual([])
  await server.closed()
})

test('what does not finish within the grace is cut off', async () => {
  const server = await startMailServer({ react: ({ step }) => (step === 'MAIL' ? silence : undefined) })
  const other = await startMailServer()
  const { send, to, sender } = startSender({ timeouts: { envelopeMs: 60_000 } })
  const sending = send(to([server, other]))
  await server.until(() => server.count('MAIL') === 1)

  await sender.close(10)

  expect(await sending).toMatchObject([{ kind: 'deferred' }])
  expect(other.connections.total).toBe(0)
  await server.closed()
})

test('as many connections as the installation allows, unless the destination says otherwise', async () => {
  const [stranger, relay] = [await startMailServer(), await startMailServer()]
  const { send, to } = startSender({ maxConnections: 2 })

  await Promise.all([
    ...many(20, () => send(to(stranger))),
    ...many(20, () => send(to(relay, { name: 'relay', maxConnections: 7 }))),
  ])

  expect([stranger.connections.peak, relay.connections.peak]).toEqual([2, 7])
})
