import { expect, test } from 'vitest'
import {
  automate,
  delay,
  happens,
  publishTemplate,
  send,
  trigger,
  waitFor,
} from '../../../../test/harness/automated.ts'
import { broadcastTo, makeSegment, readBroadcast } from '../../../../test/harness/broadcasts.ts'
import { readEmail } from '../../../../test/harness/emails.ts'
import { startReceiver } from '../../../../test/harness/receiver.ts'
import { type StagedSandbox, startStage } from '../../../../test/harness/staged.ts'
import { addWebhook, attemptsOf, statuses } from '../../../../test/harness/webhooks.ts'
import { sql } from '../../../kernel/db/sql.ts'

// Everything that has a time, in a sandbox whose clock is moved.

const HOUR = 3_600_000
const DAY = 24 * HOUR

async function start() {
  const stage = await startStage()
  await stage.app.startWorkers()
  const box = await stage.sandbox()
  const { body } = await box.patch('/clock', { is_frozen: true })
  return { ...stage, box, t0: Date.parse(body.now) }
}

async function advance(box: StagedSandbox, by: string) {
  const reply = await box.patch('/clock', { advance: by })
  expect(reply.status, reply.text).toBe(200)
  expect(reply.body.is_complete).toBe(true)
  return reply.body
}

const iso = (ms: number) => new Date(ms).toISOString()

test('a drip of a month happens in order, at its days, for everybody', async () => {
  const { app, box, t0 } = await start()
  const template = await publishTemplate(box, { from: `Acme <hello@${box.domain}>` })
  const steps = [
    trigger(),
    delay('3 days'),
    send(template, 'first', { subject: 'First' }),
    delay('27 days', 'again'),
    send(template, 'second', { subject: 'Second' }),
  ]
  const automation = await automate(box, steps)
  // Some milliseconds apart, as people sign up while time goes on.
  await box.patch('/clock', { is_frozen: false })
  for (let number = 0; number < 20; number++) {
    await happens(box, 'user.created', `user${number}@example.com`)
    app.clock.advance(0.02)
  }

  const { happened, steps: count } = await advance(box, '31 days')

  const mails = happened.filter(({ type }: { type: string }) => type === 'email.delivered')
  const days = mails.map(({ at, subject }: { at: string; subject: string }) => [
    subject,
    Math.floor((Date.parse(at) - t0) / DAY),
  ])
  expect(days).toEqual([...Array(20).fill(['First', 3]), ...Array(20).fill(['Second', 30])])
  expect(new Set(mails.map(({ to }: { to: string[] }) => to[0])).size).toBe(20)
  expect(count).toBe(2)
  // Nothing is late by more than the second that is one step.
  expect(Math.max(...mails.map(({ at }: { at: string }) => (Date.parse(at) - t0) % DAY))).toBeLessThan(1_000)
  // And what is a second late makes nothing later that follows from it.
  const { body } = await box.get(`/automations/${automation}/runs?limit=100`)
  const spans = body.data.map((run: { started_at: string; completed_at: string }) => [
    Date.parse(run.completed_at) - Date.parse(run.started_at),
  ])
  expect(spans).toEqual(Array(20).fill([30 * DAY]))
})

test('a run waits for an event until its time is over', async () => {
  const { box, t0 } = await start()
  const template = await publishTemplate(box, { from: `Acme <hello@${box.domain}>` })
  const automation = await automate(
    box,
    [trigger(), waitFor('user.paid', { timeout: '7 days' }), send(template, 'thanks'), send(template, 'reminder')],
    [
      ['start', 'wait'],
      ['wait', 'thanks', 'event_received'],
      ['wait', 'reminder', 'timeout'],
    ],
  )
  await happens(box, 'user.created', 'ada@example.com')
  await happens(box, 'user.created', 'bob@example.com')
  await advance(box, '2 days')
  await happens(box, 'user.paid', 'ada@example.com')
  await advance(box, '0 seconds')
  const runs = await box.get(`/automation-runs?automation_id=${automation}`)

  const { happened } = await advance(box, '10 days')

  const waiting = runs.body.data.find(({ status }: { status: string }) => status === 'running')
  expect(Date.parse(waiting.due_at) - t0).toBe(7 * DAY)
  const told = happened.filter(({ type }: { type: string }) => type === 'email.delivered')
  expect(told.map(({ at, to }: { at: string; to: string[] }) => [to[0], Date.parse(at) - t0])).toEqual([
    ['bob@example.com', 7 * DAY],
  ])
})

test('a webhook is tried by its ladder for a day, and disabled after five', async () => {
  const { box, t0 } = await start()
  const receiver = await startReceiver()
  receiver.fail(503)
  const { id } = await addWebhook(box, receiver.url, ['email.delivered'])
  // Not at once: what the workers have told before the call did not happen on its way.
  const begin = t0 + HOUR
  await box.mail({ scheduled_at: iso(begin) })

  const { happened } = await advance(box, '2 days')

  const [event] = Object.keys(await statuses(box, id))
  const attempts = (await attemptsOf(box, id, event!)) as unknown as { sent_at: string }[]
  const hours = attempts.map(({ sent_at }) => (Date.parse(sent_at) - begin) / HOUR).reverse()
  expect(hours).toHaveLength(8)
  expect(hours).toEqual(hours.toSorted((a, b) => a - b))
  // With the jitter of a fifth.
  expect(hours[1]! * 3_600).toBeCloseTo(5, -1)
  expect(hours[7]).toBeGreaterThan(22)
  expect(hours[7]).toBeLessThan(34)
  expect(happened.filter(({ type }: { type: string }) => type === 'webhook.failed')).toHaveLength(8)
  expect(happened.at(-1)).toMatchObject({ type: 'webhook.failed', id, detail: 'email.delivered: 503' })
  // Receivers compare with the clock on their wall.
  const real = Math.floor(Date.now() / 1_000)
  expect(Math.abs(Number(receiver.received.at(-1)!.headers['svix-timestamp']) - real)).toBeLessThan(300)

  await advance(box, '4 days')
  await box.mail()
  await advance(box, '1 hour')
  expect((await box.get(`/webhooks/${id}`)).body.status).toBe('disabled')
  // What waits for it holds up nobody.
  await box.mail()
  expect((await advance(box, '1 day')).is_complete).toBe(true)
})

test('a broadcast leaves when it is scheduled, and is sent when all copies were tried', async () => {
  const { box, t0 } = await start()
  const segment = await makeSegment(box, [{ email: 'ada@example.com' }, { email: 'bob@example.com' }])
  const id = await broadcastTo(box, segment, { from: `News <news@${box.domain}>`, scheduled_at: iso(t0 + 5 * DAY) })

  const before = await advance(box, '4 days')
  const after = await advance(box, '1 day')

  expect(before.happened).toEqual([])
  const delivered = after.happened.filter(({ type }: { type: string }) => type === 'email.delivered')
  expect(delivered.map(({ at }: { at: string }) => Date.parse(at) - t0)).toEqual([5 * DAY, 5 * DAY])
  expect(await readBroadcast(box, id)).toMatchObject({
    status: 'sent',
    sent_at: expect.stringContaining(dayOf(t0 + 5 * DAY)),
  })
})

const dayOf = (ms: number) => iso(ms).slice(0, 10)

test('a day of an idempotency key, a secret and a key is one of the sandbox', async () => {
  const { app, box, t0 } = await start()
  const receiver = await startReceiver()
  const { id: webhook } = await addWebhook(box, receiver.url, ['email.delivered'])
  const key = { 'idempotency-key': 'once' }
  const mail = { from: `a@${box.domain}`, to: 'ada@example.com', subject: 'Hello', text: 'Hello' }
  const post = async () => (await box.post('/emails', mail, key)).body.id
  const signatures = () => receiver.received.at(-1)!.headers['svix-signature']!.split(' ').length
  const first = await post()
  await box.post(`/webhooks/${webhook}/signing-secret/rotate`)
  const made = await box.post('/api-keys', { name: 'short', expires_at: iso(t0 + DAY) })
  const withIt = () => app.send({ url: '/emails', headers: { authorization: `Bearer ${made.body.token}` } })

  await advance(box, '23 hours')
  await box.mail()
  await advance(box, '0 seconds')
  expect(await post()).toBe(first)
  expect(signatures()).toBe(2)
  expect((await withIt()).status).toBe(200)
  await advance(box, '2 hours')
  expect(await post()).not.toBe(first)
  await advance(box, '0 seconds')
  expect(signatures()).toBe(1)
  await expect.poll(async () => (await withIt()).status).toBe(403)
})

test('what is kept for so many days goes by the days of the sandbox', async () => {
  const { app, acme, box, sandbox } = await start()
  const other = await sandbox()
  for (const client of [box, other, acme])
    await client.post('/topics', { name: 'News', default_subscription: 'opt_in' })
  await app.flush()
  const count = async (team: string) => {
    const [row] = await app.db.query<{ events: number; logs: number }>(sql`
      select (select count(*)::int from outbox where team_id = ${team}) as events,
        (select count(*)::int from request_logs where team_id = ${team} and endpoint = '/topics') as logs`)
    return row!
  }
  const before = await count(box.team)

  await advance(box, '200 weeks')

  expect(before).toEqual({ events: 1, logs: 1 })
  expect(await count(box.team)).toEqual({ events: 0, logs: 0 })
  expect([await count(other.team), await count(acme.team)]).toEqual([before, before])
})

test('what the other side does later happens on the way', async () => {
  const { box, t0 } = await start()
  await box.setScenario({
    rules: [
      { match: { to: 'moved@*' }, outcome: { bounced: { after: '2 hours', reply: '550 5.1.1 moved away' } } },
      { match: { to: 'angry@*' }, outcome: { complained: { after: '1 day' } } },
    ],
  })
  const id = await box.mail({ to: ['moved@example.com', 'angry@example.com'] })

  const { happened } = await advance(box, '3 days')

  const told = happened.filter(({ type }: { type: string }) => type === 'email.bounced' || type === 'email.complained')
  expect(told.map(({ at, type }: { at: string; type: string }) => [type, Date.parse(at) - t0])).toEqual([
    ['email.bounced', 2 * HOUR],
    ['email.complained', DAY],
  ])
  const suppressed = happened.filter(({ type }: { type: string }) => type === 'suppression.added')
  expect(suppressed.map(({ detail }: { detail: string }) => detail)).toEqual(['moved@example.com', 'angry@example.com'])
  expect((await readEmail(box, id)).timeline).toEqual(['sent', 'delivered', 'bounced', 'complained'])
})
