import { expect, test } from 'vitest'
import { makeGate } from '../../../test/harness/gate.ts'
import { TestClient } from '../../../test/harness/smtp-client.ts'
import { startListener } from '../../../test/harness/smtp-listener.ts'

const GOODBYE = '421 4.3.2 Shutting down, try again later'

/** A listener whose handler takes a message when the gate is opened. */
async function startSlowly() {
  const gate = makeGate()
  const arrived = makeGate()
  const server = await startListener({
    handler: {
      take: async () => {
        arrived.open()
        await gate.opened
        return { kind: 'accepted', message: 'Taken' }
      },
    },
  })
  return { ...server, gate, arrived }
}

test('who is idle is told to go at once, and nobody new comes in', async () => {
  const { port, tlsPort, listener } = await startListener()
  const idle = await TestClient.ready(port)
  const halfway = await TestClient.ready(port)
  const encrypted = TestClient.encrypted(tlsPort)
  await encrypted.reply()
  await halfway.ask('MAIL FROM:<ada@example.org>')
  const inHandshake = TestClient.plain(tlsPort)
  await new Promise((resolve) => inHandshake.socket.once('connect', resolve))

  await listener.stop(10_000)

  for (const client of [idle, halfway, encrypted]) expect(await client.reply()).toBe(GOODBYE)
  expect(await inHandshake.rest()).toBe('')
  expect(await TestClient.plain(port).reply()).toBe('')
  expect(listener.load.sessions).toBe(0)
})

test('a message under way is taken and answered, then its sender is told to go', async () => {
  const { port, listener, gate, arrived } = await startSlowly()
  const sending = await TestClient.ready(port)
  const waiting = await TestClient.ready(port)
  await sending.startMessage()
  await waiting.startMessage()
  waiting.write('Hi\r\n.\r\n')
  await arrived.opened

  const stopped = listener.stop(10_000)
  sending.write('Hi\r\n.\r\nMAIL FROM:<ada@example.org>\r\n')
  gate.open()

  expect(await waiting.replies(2)).toEqual(['250 2.0.0 Taken', GOODBYE])
  expect(await sending.replies(2)).toEqual(['250 2.0.0 Taken', GOODBYE])
  await stopped
  expect(await sending.rest()).toBe('')
})

test('patience ends with the grace period', async () => {
  const { port, listener, arrived, gate } = await startSlowly()
  const waiting = await TestClient.ready(port)
  const sending = await TestClient.ready(port)
  await sending.startMessage()
  await waiting.startMessage()
  waiting.write('Hi\r\n.\r\n')
  await arrived.opened

  await listener.stop(20)

  expect([await waiting.rest(), await sending.rest()]).toEqual(['', ''])
  gate.open()
})

test('a message whose sender has hung up is waited for too', async () => {
  const { port, listener, gate, arrived } = await startSlowly()
  const client = await TestClient.ready(port)
  await client.startMessage()
  client.write('Hi\r\n.\r\n')
  await arrived.opened
  client.hangUp()
  await expect.poll(() => listener.load.sessions).toBe(0)

  let isStopped = false
  const stopped = listener.stop(10_000).then(() => {
    isStopped = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isStopped).toBe(false)
  gate.open()

  await stopped
  expect(listener.load.messageBytes).toBe(0)
})

test('who does not hang up when told to is hung up on', async () => {
  const { port, listener } = await startListener()
  const client = await TestClient.ready(port)
  client.socket.removeAllListeners('end')
  client.socket.allowHalfOpen = true

  await listener.stop(10_000)

  expect(await client.reply()).toBe(GOODBYE)
})

test('a handshake that goes on for ever does not hold us up', async () => {
  const { port, listener } = await startListener()
  const client = await TestClient.ready(port)
  await client.ask('STARTTLS')
  client.write('\x16')

  await listener.stop(10_000)

  expect(await client.rest()).toBe('')
})

test('stopping twice, or before the start, is stopping', async () => {
  const { listener } = await startListener()

  await Promise.all([listener.stop(0), listener.stop(0)])
})
