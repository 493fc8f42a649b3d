import { expect, onTestFinished, test, vi } from 'vitest'
import { hangUp, type Moment, silence, thenHangUp } from '../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../test/harness/mail-server.ts'
import { startSender } from '../../../test/harness/smtp-sender.ts'

/** Offers PIPELINING, and gets lost when more than one command comes at once. */
async function startConfused(
  react: (moment: Moment) => ReturnType<NonNullable<Parameters<typeof startMailServer>[0]>['react'] & {}>,
) {
  const server = await startMailServer({ react: (moment) => (moment.hasMore ? react(moment) : undefined) })
  return server
}

test.each([
  ['closes the connection', hangUp],
  ['says that it is out of step', '503 5.5.1 Bad sequence of commands'],
  ['complains about pipelining', thenHangUp('554 5.5.0 SMTP synchronization error')],
  ['answers what nobody understands', '?'],
])('a server whose PIPELINING %s is asked one thing at a time, from then on', async (_name, reaction) => {
  const server = await startConfused(({ step }) => (step === 'MAIL' || step === 'RCPT' ? reaction : undefined))
  const { send, to, clock } = startSender({ messagesPerConnection: 1 })
  const envelope = { to: ['ada@example.com', 'bob@example.com'] }

  expect(await send(to(server), envelope)).toMatchObject([{ kind: 'delivered' }, { kind: 'delivered' }])
  expect(server.connections.total).toBe(2)

  await send(to(server), envelope)
  expect(server.connections.total).toBe(3)

  clock.advance(3_601)
  await send(to(server), envelope)
  expect(server.connections.total).toBe(5)
  expect(server.messages).toHaveLength(3)
})

test('one that swallows what comes together gets its mail the next time', async () => {
  const server = await startConfused(() => silence)
  // Time passes when the test says so: a busy machine may take longer for an answer than anybody would wait here.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { send, to, clock } = startSender({ timeouts: { envelopeMs: 5_000 } })

  const swallowed = send(to(server))
  await server.until(() => server.count('MAIL') === 1)
  await new Promise(setImmediate)
  vi.advanceTimersByTime(5_000)
  expect(await swallowed).toMatchObject([{ kind: 'deferred' }])
  clock.advance(60)
  expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
})

test('a server that closes either way is not held for one that cannot do PIPELINING', async () => {
  const server = await startMailServer({
    react: ({ step, count }) => (step === 'MAIL' && count < 3 ? hangUp : undefined),
  })
  const { send, to, clock } = startSender()

  expect(await send(to(server))).toMatchObject([{ kind: 'deferred' }])
  clock.advance(60)
  await send(to(server))

  expect(server.commands.slice(-4).map((line) => line.split(' ')[0])).toEqual(['EHLO', 'MAIL', 'RCPT', 'DATA'])
  expect(server.together).toBeGreaterThan(0)
  expect(server.messages).toHaveLength(1)
})

const named = (server: { host: object }, host: string) => ({ host: { ...server.host, host } as never })
const saying = (step: string, reply: string) => (moment: Moment) => (moment.step === step ? reply : undefined)

test('after a 4xx to MAIL the second host is asked, and after its 4xx nobody', async () => {
  const first = await startMailServer({ react: saying('MAIL', '451 4.3.0 Not at the moment') })
  const second = await startMailServer()
  const { send, to } = startSender()

  expect(await send(to([named(first, 'mx1.test'), named(second, 'mx2.test')]))).toMatchObject([
    { kind: 'delivered', host: 'mx2.test' },
  ])

  second.react(saying('MAIL', '452 4.3.1 Nor here'))
  const third = await startMailServer()
  const hosts = [named(first, 'mx1.test'), named(second, 'mx2.test'), named(third, 'mx3.test')]
  expect(await send(to(hosts, { name: 'three.example' }))).toMatchObject([
    { kind: 'deferred', host: 'mx1.test', reply: '451 4.3.0 Not at the moment', isThrottled: false },
  ])
  expect(third.connections.total).toBe(0)
})

test('other addresses of the host that said so are not asked, nor anybody when we bring too much', async () => {
  const first = await startMailServer({ react: saying('MAIL', '451 4.3.0 Not at the moment') })
  const same = await startMailServer()
  const { send, to } = startSender()

  expect(await send(to([named(first, 'mx1.test'), named(same, 'mx1.test')]))).toMatchObject([{ kind: 'deferred' }])
  first.react(saying('MAIL', '451 4.7.1 Too many messages, slow down'))
  const other = to([named(first, 'mx1.test'), named(same, 'mx2.test')], { name: 'other.example' })
  expect(await send(other)).toMatchObject([{ kind: 'deferred', isThrottled: true }])
  expect(same.connections.total).toBe(0)
})

test('of a reply whose lines do not agree the last one counts', async () => {
  const server = await startMailServer({
    react: ({ step }) => (step === 'RCPT' ? { bytes: '250-2.1.5 Nearly\r\n550 5.1.1 No such user\r\n' } : undefined),
  })
  const { send, to } = startSender()

  expect(await send(to(server))).toMatchObject([
    {
      kind: 'bounced',
      reply: expect.stringMatching(/^550 5\.1\.1 /),
      bounce: { type: 'Permanent', subType: 'NoEmail' },
    },
  ])
})
