import { expect, test } from 'vitest'
import { type SandboxClient, startApp } from '../../../../test/harness/app.ts'
import { arrive, written } from '../../../../test/harness/arriving.ts'
import { SIMPLE } from '../../../../test/harness/emails.ts'

const SANDBOXES = 50
const SEEDS = 5
const HOUR_MS = 3_600_000
const RECIPIENTS = ['ada', 'bob', 'eve', 'kim'].map((name) => `${name}@example.com`)
const HALF_BOUNCES = { rules: [{ match: { probability: 0.5 }, outcome: { reply: '550 5.1.1 no such user' } }] }

interface Shown {
  readonly subject: string
  readonly direction: string
  readonly to: readonly string[]
  readonly status: string
  readonly created_at: string
}

/** What a test does in a sandbox: chance is set, mail is sent now and in two hours, and some hours go by. */
async function play(sandbox: SandboxClient, number: number) {
  const scenario = { method: 'PUT', url: '/scenario', payload: HALF_BOUNCES } as const
  expect((await sandbox.send(scenario)).status).toBe(200)
  for (const to of RECIPIENTS) await sandbox.post('/emails', { ...SIMPLE, to, subject: `Of ${number}` })
  await sandbox.post('/emails', { ...SIMPLE, subject: `Later of ${number}`, scheduled_at: 'in 2 hours' })
  const { status, body } = await sandbox.patch('/clock', { advance: `${number} hours` })
  expect([status, body.is_complete]).toEqual([200, true])
  return body.now as string
}

test('fifty parallel sandboxes with different clocks and seeds never see each other’s mail or time', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await app.startWorkers()
  const begun = app.clock.now().getTime()
  const numbers = Array.from({ length: SANDBOXES }, (_, index) => index + 1)
  const sandboxes = await Promise.all(numbers.map((n) => app.sandboxOf(acme, { seed: n % SEEDS, expires_in: '1 day' })))

  const times = await Promise.all(sandboxes.map((sandbox, index) => play(sandbox, numbers[index]!)))
  const to = sandboxes.map(({ domain }) => `anybody@${domain}`)
  expect(await arrive(app, written({ subject: 'To all' }), { to })).toMatchObject({ kind: 'accepted' })

  expect(times).toEqual(numbers.map((n) => new Date(begun + n * HOUR_MS).toISOString()))
  const stories = new Map<number, Set<string>>()
  for (const [index, sandbox] of sandboxes.entries()) {
    const number = numbers[index]!
    const messages: Shown[] = (await sandbox.get('/messages?limit=100')).body.data
    const sent = messages.filter(({ direction }) => direction === 'sent')
    const now = sent.filter(({ subject }) => subject === `Of ${number}`)
    const later = sent.filter(({ subject }) => subject === `Later of ${number}`)
    expect([now.length, later.length, sent.length]).toEqual([4, number >= 2 ? 1 : 0, number >= 2 ? 5 : 4])
    expect(new Set(now.map(({ created_at }) => Date.parse(created_at)))).toEqual(new Set([begun]))
    // What comes from outside comes at the time that it is there.
    const received = messages.filter(({ direction }) => direction === 'received')
    expect(received.map(({ subject, created_at }) => [subject, created_at])).toEqual([['To all', times[index]]])
    const story = now.map((one) => `${one.to}: ${one.status}`).join('; ')
    stories.set(number % SEEDS, (stories.get(number % SEEDS) ?? new Set()).add(story))
  }
  // One story for each seed, and not the same for all of them.
  expect([...stories.values()].map(({ size }) => size)).toEqual(Array(SEEDS).fill(1))
  expect(new Set([...stories.values()].flatMap((told) => [...told])).size).toBeGreaterThan(1)
  expect((await acme.get('/messages')).body.data).toEqual([])
  expect((await acme.get('/emails')).body.data).toEqual([])
})
