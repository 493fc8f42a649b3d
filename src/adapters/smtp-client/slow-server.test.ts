import { expect, onTestFinished, test, vi } from 'vitest'
import { silence } from '../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../test/harness/mail-server.ts'
import { MESSAGE, startSender } from '../../../test/harness/smtp-sender.ts'
import { TIMEOUTS } from './timeouts.ts'

const silentAt = (step: string) => (moment: { step: string }) => (moment.step === step ? silence : undefined)

/** Time passes when the test says so. What the sockets do is real. */
function ownTime() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

test('the times are those of RFC 5321, section 4.5.3.2, wherever a copy is at stake', () => {
  expect(TIMEOUTS).toMatchObject({ envelopeMs: 300_000, commandMs: 120_000, dataBlockMs: 180_000, finalDotMs: 600_000 })
})

test.each([
  ['MESSAGE', 600, /no answer in time after the message was sent; it may have been delivered/],
  ['MAIL', 300, /no answer in time$/],
  ['RCPT', 300, /no answer in time$/],
])('a server that is silent at %s has %i seconds', async (step, seconds, reply) => {
  const server = await startMailServer({ react: silentAt(step), extensions: [] })
  ownTime()
  const { send, to } = startSender({ timeouts: TIMEOUTS })
  let isOver = false
  const sending = send(to(server)).finally(() => {
    isOver = true
  })
  await server.until(() => server.count(step as 'MAIL') === 1)
  // What was written is in the hands of the system before the time begins.
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0))
  await new Promise(setImmediate)
  vi.advanceTimersByTime(seconds * 1_000 - 1_000)
  await new Promise(setImmediate)
  expect(isOver).toBe(false)

  vi.advanceTimersByTime(2_000)
  expect(await sending).toMatchObject([{ kind: 'deferred', reply: expect.stringMatching(reply) }])
})

test('an answer nine minutes after the final dot is heard, and there is no copy', async () => {
  const server = await startMailServer({ react: silentAt('MESSAGE') })
  ownTime()
  const { send, to } = startSender({ timeouts: TIMEOUTS })
  const sending = send(to(server))
  await server.until(() => server.seen.length === 1)
  await new Promise(setImmediate)
  vi.advanceTimersByTime(540_000)
  server.say('250 2.0.0 At last\r\n')

  expect(await sending).toMatchObject([{ kind: 'delivered', reply: '250 2.0.0 At last' }])
  expect(server.seen).toHaveLength(1)
})

test('slow conversations let others begin, as many as there may be connections', async () => {
  const server = await startMailServer({ react: silentAt('MESSAGE') })
  const { send, to, sender } = startSender({ slowMs: 1 })
  const destination = to(server, { maxConnections: 2 })
  const slow = [1, 2, 3, 4].map(() => send(destination))
  await server.until(() => server.seen.length === 4)

  server.react(() => undefined)
  const fifth = send(destination)

  expect(sender.load()).toMatchObject([{ active: 4, waiting: 1 }])
  server.say('250 2.0.0 At last\r\n')
  expect((await Promise.all([...slow, fifth])).flat()).toMatchObject(Array(5).fill({ kind: 'delivered' }))
  expect(server.connections.peak).toBe(4)
  expect(sender.load()).toMatchObject([{ active: 0, waiting: 0 }])
})

test('but not beyond a ceiling', async () => {
  const server = await startMailServer({ react: silentAt('MESSAGE') })
  const { send, to, sender } = startSender({ slowMs: 1 })
  const destination = to(server, { maxConnections: 2, hasConnectionCeiling: true })
  const slow = [1, 2, 3].map(() => send(destination))
  await server.until(() => server.seen.length === 2)

  expect(sender.load()).toMatchObject([{ active: 2, waiting: 1 }])
  server.react(() => undefined)
  server.say('250 2.0.0 At last\r\n')
  expect((await Promise.all(slow)).flat()).toMatchObject(Array(3).fill({ kind: 'delivered' }))
  expect(server.connections.peak).toBe(2)
})

test('who sends hears when the message has left, and when the answer takes long', async () => {
  const server = await startMailServer({ react: silentAt('MESSAGE') })
  const { sender, to } = startSender({ slowMs: 20 })
  const heard = new Set<string>()
  const envelope = { from: 'a@example.org', to: ['b@example.com'], requireTls: false, needsUtf8: false }
  let sending: Promise<unknown> = Promise.resolve()
  await new Promise<void>((resolve) => {
    const hear = (what: string) => () => {
      heard.add(what)
      if (heard.size === 2) resolve()
    }
    sending = sender.send(to(server), envelope, MESSAGE, { onSent: hear('sent'), onSlow: hear('slow') })
  })
  server.say('250 2.0.0 At last\r\n')

  expect(await sending).toMatchObject([{ kind: 'delivered' }])
})

test('a conversation that waits after the dot when the sender closes is uncertain', async () => {
  const server = await startMailServer({ react: silentAt('MESSAGE') })
  const { send, to, sender } = startSender()
  const sending = send(to(server))
  await server.until(() => server.seen.length === 1)

  await sender.close(0)

  expect(await sending).toMatchObject([
    { kind: 'deferred', reply: expect.stringContaining('it may have been delivered') },
  ])
})
