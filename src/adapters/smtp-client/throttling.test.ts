import { expect, test } from 'vitest'
import { silence } from '../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../test/harness/mail-server.ts'
import { NOBODY, startSender } from '../../../test/harness/smtp-sender.ts'

const busyAt = (at: string) => (moment: { step: string }) =>
  moment.step === at ? '421 4.7.0 Too many, come back later' : undefined

test.each(['CONNECT', 'MAIL', 'RCPT', 'DATA', 'MESSAGE'])('421 at %s starts a pause', async (step) => {
  const server = await startMailServer({ react: busyAt(step) })
  const { send, to, sender, clock } = startSender()

  expect(await send(to(server))).toMatchObject([
    { kind: 'deferred', isThrottled: true, retryAfterSeconds: 5, reply: expect.stringContaining('Too many') },
  ])
  expect(sender.pausedUntil('example.com')).toEqual(new Date(clock.now().getTime() + 5_000))
  expect(sender.pausedUntil('other.example')).toBe(null)
})

test('during a pause nothing is tried, and the answer says when to come back', async () => {
  const server = await startMailServer({ react: busyAt('CONNECT') })
  const { send, to, sender, clock } = startSender()
  await send(to(server))

  clock.advance(2)
  expect(await send(to(server), { to: ['ada@example.com', 'bob@example.com'] })).toEqual([
    { kind: 'postponed', seconds: 3 },
    { kind: 'postponed', seconds: 3 },
  ])
  expect(server.connections.total).toBe(1)

  server.react(() => undefined)
  clock.advance(3)
  expect(sender.pausedUntil('example.com')).toBe(null)
  expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
})

test('each pause is longer than the one before, up to ten minutes, with ever fewer connections', async () => {
  const server = await startMailServer({ react: busyAt('CONNECT') })
  const { send, to, sender, clock } = startSender()
  const pauses: number[] = []
  const limits: number[] = []

  for (let round = 0; round < 9; round++) {
    await send(to(server, { maxConnections: 10 }))
    pauses.push((sender.pausedUntil('example.com')!.getTime() - clock.now().getTime()) / 1_000)
    limits.push(sender.load()[0]!.limit)
    clock.advance(600)
  }

  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600])
  expect(limits).toEqual([5, 2, 1, 1, 1, 1, 1, 1, 1])
})

test('ten connections that hear the same complaint count as one', async () => {
  const server = await startMailServer({ react: busyAt('MESSAGE') })
  const { send, to, sender } = startSender()
  const destination = to(server, { maxConnections: 10 })

  const outcomes = await Promise.all(Array.from({ length: 30 }, () => send(destination)))

  const kinds = outcomes.flat().map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'deferred')).toHaveLength(10)
  expect(kinds.filter((kind) => kind === 'postponed')).toHaveLength(20)
  expect(sender.load()).toMatchObject([{ limit: 5, active: 0, waiting: 0 }])
  // The twenty in line were sent away, not tried.
  expect(server.seen).toHaveLength(10)
})

test('step by step, good answers bring the full limit back', async () => {
  const server = await startMailServer({ react: busyAt('CONNECT') })
  const { send, to, sender, clock } = startSender()
  const destination = to(server, { maxConnections: 4 })
  for (let round = 0; round < 2; round++) {
    await send(destination)
    clock.advance(600)
  }
  server.react(() => undefined)

  const limits: number[] = []
  for (let round = 0; round < 7; round++) {
    await send(destination)
    limits.push(sender.load()[0]!.limit)
  }
  expect(limits).toEqual([2, 2, 3, 3, 3, 4, 4])

  await Promise.all(Array.from({ length: 8 }, () => send(destination)))
  expect(server.connections.peak).toBe(4)
})

test('sessions beyond the new limit are closed', async () => {
  const server = await startMailServer()
  const { send, to } = startSender()
  const destination = to(server, { maxConnections: 8 })
  await Promise.all(Array.from({ length: 8 }, () => send(destination)))
  expect(server.connections.open).toBe(8)

  server.react(busyAt('MESSAGE'))
  await send(destination)

  // One was closed by the server with its complaint.
  await server.until(() => server.connections.open === 4)
  expect(server.count('QUIT')).toBe(3)
})

test('a recipient that does not exist is no reason to slow down', async () => {
  const server = await startMailServer({
    react: ({ step }) => (step === 'RCPT' ? '550 5.1.1 No such user' : undefined),
  })
  const { send, to, sender } = startSender()

  expect(await send(to(server))).toMatchObject([{ kind: 'bounced' }])
  expect(sender.pausedUntil('example.com')).toBe(null)
})

test('nor is a greylisting server', async () => {
  const server = await startMailServer({
    react: ({ step }) => (step === 'RCPT' ? '450 4.2.0 Greylisted, try again later' : undefined),
  })
  const { send, to, sender } = startSender()

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

test('a server that takes so many messages a connection is not throttling', async () => {
  const server = await startMailServer({
    react: ({ step, messages }) =>
      step === 'MAIL' && messages === 3 ? '421 4.7.0 Enough for one connection' : undefined,
  })
  const { send, to, sender } = startSender()

  for (let index = 0; index < 7; index++) expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])

  expect(server.messages.map(({ connection }) => connection)).toEqual([1, 1, 1, 2, 2, 2, 3])
  expect(sender.pausedUntil('example.com')).toBe(null)
})
