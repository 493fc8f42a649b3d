import { expect, test } from 'vitest'
import { hangUp, silence } from '../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../test/harness/mail-server.ts'
import { MESSAGE, NOBODY, startSender } from '../../../test/harness/smtp-sender.ts'
import type { Outcome, Untried } from '../../mail/outcome.ts'

const busyAt = (at: string) => (moment: { step: string }) =>
  moment.step === at ? '421 4.7.0 Too many, come back later' : undefined

const isThrottled = (outcome: Outcome | Untried) => outcome.kind === 'deferred' && outcome.isThrottled

/** A sender, and somebody who lets a destination rest for five seconds when it asks for less. */
function startPaced() {
  const started = startSender()
  const { sender, clock } = started
  const heard: (readonly (Outcome | Untried)[])[] = []
  let until: Date | null = null
  const pace = {
    restsUntil: () => (until && until > clock.now() ? until : null),
    heard(outcomes: readonly (Outcome | Untried)[]) {
      heard.push(outcomes)
      if (outcomes.some(isThrottled)) until = new Date(clock.now().getTime() + 5_000)
    },
  }
  const send = (destination: ReturnType<typeof started.to>, to = ['ada@example.com']) =>
    sender.send(destination, { from: 'sender@example.org', to, requireTls: false, needsUtf8: false }, MESSAGE, { pace })
  return { ...started, send, heard }
}

test.each(['CONNECT', 'MAIL', 'RCPT', 'DATA', 'MESSAGE'])(
  '421 at %s is told, and says when to come back',
  async (step) => {
    const server = await startMailServer({ react: busyAt(step) })
    const { send, to, heard } = startPaced()

    expect(await send(to(server))).toMatchObject([
      { kind: 'deferred', isThrottled: true, retryAfterSeconds: 5, reply: expect.stringContaining('Too many') },
    ])
    expect(heard).toMatchObject([[{ isThrottled: true }]])
  },
)

test('during a rest nothing is tried, and the answer says when to come back', async () => {
  const server = await startMailServer({ react: busyAt('CONNECT') })
  const { send, to, clock } = startPaced()
  await send(to(server))

  clock.advance(2)
  expect(await send(to(server), ['ada@example.com', 'bob@example.com'])).toEqual([
    { kind: 'postponed', seconds: 3 },
    { kind: 'postponed', seconds: 3 },
  ])
  expect(server.connections.total).toBe(1)

  server.react(() => undefined)
  clock.advance(3)
  expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
})

test('those who stand in line when a destination asks for less are sent away, not tried', async () => {
  const server = await startMailServer({ react: busyAt('MESSAGE') })
  const { send, to, sender } = startPaced()
  const destination = to(server, { maxConnections: 10 })

  const outcomes = await Promise.all(Array.from({ length: 30 }, () => send(destination)))

  const kinds = outcomes.flat().map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'deferred')).toHaveLength(10)
  expect(kinds.filter((kind) => kind === 'postponed')).toHaveLength(20)
  expect(sender.load()).toMatchObject([])
  expect(server.seen).toHaveLength(10)
})

test('sessions beyond a new limit are closed', async () => {
  const server = await startMailServer()
  const { send, to } = startPaced()
  await Promise.all(Array.from({ length: 8 }, () => send(to(server, { maxConnections: 8 }))))
  expect(server.connections.open).toBe(8)

  await send(to(server, { maxConnections: 4 }))

  await server.until(() => server.connections.open === 4)
  expect(server.count('QUIT')).toBe(4)
})

test('a session ends after as many messages as the destination is to get', async () => {
  const server = await startMailServer()
  const { send, to } = startPaced()
  for (let index = 0; index < 5; index++) await send(to(server, { messagesPerConnection: 2 }))

  expect(server.messages.map(({ connection }) => connection)).toEqual([1, 1, 2, 2, 3])
})

test('a recipient that does not exist is no reason to slow down, nor is a greylisting server', async () => {
  const server = await startMailServer({
    react: ({ step }) => (step === 'RCPT' ? '550 5.1.1 No such user' : undefined),
  })
  const { send, to, sender } = startPaced()

  expect(await send(to(server))).toMatchObject([{ kind: 'bounced' }])
  server.react(({ step }) => (step === 'RCPT' ? '450 4.2.0 Greylisted, try again later' : undefined))
  expect(await send(to(server))).toMatchObject([{ kind: 'deferred', isThrottled: false }])
  expect(sender.pausedUntil('example.com')).toBe(null)
})

test('a destination that cannot be reached is given a rest, and so is one that keeps silent', async () => {
  const mute = await startMailServer({ react: () => silence })
  const { send, to, sender } = startSender({ timeouts: { greetingMs: 100 } })

  expect(await send(to(NOBODY))).toMatchObject([{ kind: 'deferred', isThrottled: false }])
  expect(sender.pausedUntil('example.com')).not.toBe(null)
  expect(await send(to(NOBODY))).toEqual([{ kind: 'postponed', seconds: 5 }])
  expect(await send(to(mute, { name: 'mute.example' }))).toMatchObject([
    { kind: 'deferred', reply: '451 4.4.2 mail.test (127.0.0.1): no answer in time' },
  ])
  expect(sender.pausedUntil('mute.example')).not.toBe(null)
})

test('each rest is longer than the one before, up to ten minutes, until somebody answers', async () => {
  const server = await startMailServer()
  const { send, to, sender, clock } = startSender()
  const rests: number[] = []
  const fail = async () => {
    await send(to(NOBODY))
    rests.push((sender.pausedUntil('example.com')!.getTime() - clock.now().getTime()) / 1_000)
    clock.advance(600)
  }
  for (let round = 0; round < 9; round++) await fail()
  expect(rests).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600])

  expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
  await fail()
  expect(rests.at(-1)).toBe(5)
})

test('a rest is over when the clock was set back further than any rest is long, and the next one is as long as it should be', async () => {
  const { send, to, sender, clock } = startSender()
  await send(to(NOBODY))
  clock.advance(-3_600)

  expect(sender.pausedUntil('example.com')).toBe(null)
  expect(await send(to(NOBODY))).toMatchObject([{ kind: 'deferred' }])
  expect(sender.pausedUntil('example.com')).toEqual(new Date(clock.now().getTime() + 10_000))
})

test.each([
  ['says so', '421 4.7.0 Enough for one connection'],
  ['ends it without a word', hangUp],
])('a server that takes so many messages a connection, and %s, is not throttling', async (_name, end) => {
  const server = await startMailServer({
    react: ({ step, messages }) => (step === 'MAIL' && messages === 3 ? end : undefined),
  })
  const { send, to, sender, heard } = startPaced()

  for (let index = 0; index < 7; index++) expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])

  expect(server.messages.map(({ connection }) => connection)).toEqual([1, 1, 1, 2, 2, 2, 3])
  expect(sender.pausedUntil('example.com')).toBe(null)
  expect(heard.flat().every(({ kind }) => kind === 'delivered')).toBe(true)
})
