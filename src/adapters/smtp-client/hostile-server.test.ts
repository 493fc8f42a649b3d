import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { byteByByte, hangUp, type Reaction, silence, thenHangUp } from '../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../test/harness/mail-server.ts'
import { NOBODY, replyOf, startSender } from '../../../test/harness/smtp-sender.ts'

/** Does one thing at one step, and is a good server otherwise. */
const at = (step: string, reaction: Reaction) => (moment: { step: string }) =>
  moment.step === step ? reaction : undefined

/** Only who says nothing is waited for in vain. The host that comes after it has the same time, on a machine that may be busy. */
const patienceWith = (reaction: Reaction) =>
  reaction === silence
    ? { timeouts: { commandMs: 1_000, envelopeMs: 1_000, finalDotMs: 1_000, greetingMs: 1_000 } }
    : {}

describe('before the message is sent, the next host gets its chance', () => {
  const BAD: [string, Reaction][] = [
    ['CONNECT', '421 4.3.2 Too busy'],
    ['CONNECT', '554 5.7.1 Your address is blocked'],
    ['CONNECT', thenHangUp('450 4.3.2 Later')],
    ['CONNECT', 'Hello? Is this HTTP?'],
    ['CONNECT', hangUp],
    ['CONNECT', silence],
    ['EHLO', hangUp],
    ['EHLO', '421 4.3.2 Shutting down'],
    ['EHLO', silence],
    ['MAIL', hangUp],
    ['RCPT', hangUp],
    ['DATA', hangUp],
    ['MAIL', 'mumble'],
    ['CONNECT', { bytes: `220-${'x'.repeat(1_000_000)}\r\n220 Hello\r\n` }],
    ['EHLO', { bytes: '250-x\r\n'.repeat(150_000) }],
    ['MAIL', { bytes: Buffer.alloc(1_000_000, 'x') }],
    // Each reply is of a decent length, and nobody asked for all but the first.
    ['MAIL', { bytes: `${'250-x\r\n'.repeat(1_000)}250 x\r\n`.repeat(150) }],
    ['MAIL', { bytes: Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 256)), drop: true }],
  ]

  test.each(BAD)('%s: %j', async (step, reaction) => {
    const bad = await startMailServer({ react: at(step, reaction) })
    const good = await startMailServer()
    const { send, to } = startSender(patienceWith(reaction))

    expect(await send(to([bad, good]))).toMatchObject([{ kind: 'delivered' }])
    expect(good.messages).toHaveLength(1)
    expect(bad.seen).toHaveLength(0)
  })

  test.each(BAD)('and when there is none, the mail waits (%s: %j)', async (step, reaction) => {
    const bad = await startMailServer({ react: at(step, reaction) })
    const { send, to } = startSender(patienceWith(reaction))

    const [outcome] = await send(to(bad))

    expect(outcome).toMatchObject({
      kind: 'deferred',
      reply: expect.stringMatching(/^451 4\.4\.2 mail\.test \(127\.0\.0\.1\): ./),
    })
    expect(replyOf(outcome).length).toBeLessThanOrEqual(1_000)
  })
})

test('a host where nobody listens is passed over', async () => {
  const good = await startMailServer()
  const { send, to } = startSender()

  expect(await send(to([NOBODY, good]))).toMatchObject([{ kind: 'delivered' }])
  expect(await send(to(NOBODY, { name: 'elsewhere.example' }))).toMatchObject([
    { kind: 'deferred', reply: '451 4.4.1 nobody.test (127.0.0.1): the connection was refused', isThrottled: false },
  ])
})

test('a host that failed is tried last for a minute', async () => {
  const bad = await startMailServer({ react: at('CONNECT', hangUp) })
  const good = await startMailServer()
  const { send, to, clock } = startSender({ messagesPerConnection: 1 })
  await send(to([bad, good]))

  await send(to([bad, good]))
  expect(bad.connections.total).toBe(1)

  clock.advance(61)
  await send(to([bad, good]))
  expect(bad.connections.total).toBe(2)
})

test('what a server said tells more than a connection that was not made', async () => {
  const busy = await startMailServer({ react: at('CONNECT', '421 4.3.2 Too busy') })
  const { send, to } = startSender()

  const [outcome] = await send(to([busy, NOBODY]))

  expect(replyOf(outcome)).toContain('Too busy')
})

describe('after the message was sent, no other host gets it', () => {
  test.each<[string, Reaction]>([
    ['hangs up', hangUp],
    ['says nothing', silence],
    ['says nonsense', 'mumble'],
    ['says too much', { bytes: 'x'.repeat(2_000_000) }],
    ['says half of a code', { bytes: '25', drop: true }],
  ])('the server %s', async (_name, reaction) => {
    const bad = await startMailServer({ react: at('MESSAGE', reaction) })
    const good = await startMailServer()
    const { send, to } = startSender(patienceWith(reaction))

    const outcomes = await send(to([bad, good]), { to: ['ada@example.com', 'bob@example.com'] })

    const unknown = { kind: 'deferred', reply: expect.stringContaining('it may have been delivered') }
    expect(outcomes).toMatchObject([unknown, unknown])
    expect(bad.seen).toHaveLength(1)
    expect(good.connections.total).toBe(0)
  })

  test.each<[string, Reaction, string]>([
    ['is 2 MB long', { bytes: `250-2.0.0 Queued\r\n${'250-x\r\n'.repeat(300_000)}250 end\r\n` }, '250 2.0.0 Queued'],
    ['is a line of 2 MB', { bytes: `250 2.0.0 Queued ${'x'.repeat(2_000_000)}` }, '250 2.0.0 Queued x'],
    ['is cut off', { bytes: '250-2.0.0 Queued\r\n250', drop: true }, '250 2.0.0 Queued'],
    ['never ends', { bytes: '250-2.0.0 Queued\r\n' }, '250 2.0.0 Queued'],
  ])('a yes that %s is one: there is no second copy', async (_name, reaction, reply) => {
    const server = await startMailServer({ react: at('MESSAGE', reaction) })
    const { send, to } = startSender({ timeouts: { finalDotMs: 2_000 } })

    const [outcome] = await send(to(server))

    expect(outcome).toMatchObject({ kind: 'delivered', reply: expect.stringContaining(reply) })
    expect(replyOf(outcome).length).toBeLessThanOrEqual(1_000)
  })

  test('and a recipient that was refused before stays refused', async () => {
    const server = await startMailServer({
      react: ({ step, line }) => {
        if (step === 'RCPT' && line.includes('gone')) return '550 5.1.1 No such user'
        return step === 'MESSAGE' ? hangUp : undefined
      },
    })
    const { send, to } = startSender()

    const outcomes = await send(to(server), { to: ['ada@example.com', 'gone@example.com'] })

    expect(outcomes.map(({ kind }) => kind)).toEqual(['deferred', 'bounced'])
  })
})

describe('a reply that nobody has asked for', () => {
  test.each<[string, string]>([
    ['CONNECT', '220 Hello\r\n250 mail.test\r\n'],
    ['EHLO', '250-mail.test\r\n250 PIPELINING\r\n250 Ok\r\n'],
    ['DATA', '354 Go on\r\n250 2.0.0 Taken, whatever it is\r\n'],
  ])('is not taken for the answer to what comes after %s', async (step, bytes) => {
    const bad = await startMailServer({ react: at(step, { bytes }) })
    const good = await startMailServer()
    const { send, to } = startSender()

    expect(await send(to([bad, good]))).toMatchObject([{ kind: 'delivered', reply: '250 2.0.0 Queued as 1' }])
    expect(bad.seen).toHaveLength(0)
    expect(good.messages).toHaveLength(1)
  })

  test('ends the session, and the mail before it is delivered', async () => {
    const server = await startMailServer({
      react: ({ step, connection }) =>
        step === 'MESSAGE' && connection === 1
          ? { bytes: '250 2.0.0 Ok\r\n421 4.3.2 Enough for today\r\n' }
          : undefined,
    })
    const { send, to, sender } = startSender()

    expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
    expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
    expect(server.connections.total).toBe(2)
    expect(sender.pausedUntil('example.com')).toBe(null)
  })
})

test('a refusal without the end of its line is one all the same', async () => {
  const bad = await startMailServer({ react: at('MAIL', { bytes: '550 5.7.1 Go away', drop: true }) })
  const { send, to } = startSender()

  expect(await send(to(bad))).toMatchObject([{ kind: 'bounced', reply: '550 5.7.1 Go away' }])
})

test('slow is fine: a server that speaks byte by byte gets its mail', async () => {
  const server = await startMailServer({
    react: ({ step }) => (step === 'CONNECT' || step === 'MESSAGE' ? byteByByte('220 2.0.0 Fine') : undefined),
  })
  const { send, to } = startSender()

  expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
})

test('endless is not: a server that never comes to the end of its reply is given up', async () => {
  const endless = byteByByte('and so on '.repeat(1_000), 10)
  const server = await startMailServer({ react: at('MESSAGE', endless) })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { send, to } = startSender({ timeouts: { finalDotMs: 20_000 } })

  const sending = send(to(server))
  await server.until(() => server.seen.length === 1)
  vi.advanceTimersByTime(20_000)

  expect(await sending).toMatchObject([
    { kind: 'deferred', reply: expect.stringMatching(/no answer in time after the message was sent/) },
  ])
})

test('a server without pipelining is asked one thing at a time', async () => {
  const server = await startMailServer({ extensions: [] })
  const { send, to } = startSender()

  await send(to(server), { to: ['ada@example.com', 'bob@example.com'] })
  await send(to(server))

  expect(server.messages).toHaveLength(2)
  expect(server.violations).toEqual([])
})

test('a server that knows no EHLO gets HELO', async () => {
  const server = await startMailServer({ react: at('EHLO', '502 5.5.1 What?') })
  const { send, to } = startSender()

  expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
  expect(server.count('HELO')).toBe(1)
})

test('a temporary refusal is over when the server says so', async () => {
  const server = await startMailServer({
    react: ({ step, count }) => (step === 'RCPT' && count === 1 ? '450 4.2.0 Greylisted' : undefined),
  })
  const { send, to } = startSender()

  expect(await send(to(server))).toMatchObject([{ kind: 'deferred', isThrottled: false }])
  expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
})

test('no text that was ever received cannot be stored', async () => {
  const reply = '550 5.0.0 nul \0 escape \u001b[31m and \u0007'
  const server = await startMailServer({ react: at('MESSAGE', reply) })
  const { send, to } = startSender()

  const [outcome] = await send(to(server))

  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be gone
  expect(replyOf(outcome)).not.toMatch(/[\x00-\x09\x0b-\x1f]/)
})
