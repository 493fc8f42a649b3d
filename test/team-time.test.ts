import { expect, test } from 'vitest'
import { sql } from '../src/kernel/db/sql.ts'
import { type App, type Client, startApp } from './harness/app.ts'
import { emptyLedger, readEmail, sendEmail } from './harness/emails.ts'
import { DEFERRED, scriptedTransport } from './harness/transport.ts'
import { addWebhook, startWithReceiver } from './harness/webhooks.ts'

const HOUR = 3_600_000
const MONTH_SECONDS = 30 * 86_400
const MONTH = MONTH_SECONDS * 1_000

/** Two teams: one has a time of its own, thirty days ahead. */
async function start() {
  const world = scriptedTransport()
  const app = await startApp({}, { transport: world.transport })
  await emptyLedger(app)
  const [ahead, other] = [await app.as('ahead'), await app.as('other')]
  app.clock.putAhead(ahead.team, MONTH_SECONDS)
  return { app, ahead, other, world, real: app.clock.now().getTime() }
}

const timeOfId = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

const eventTimes = ({ events }: { events: { created_at: string }[] }) =>
  events.map((event) => Date.parse(event.created_at))

async function ledgerOf(app: App, { team }: Client, id: string) {
  const [row] = await app.db.query<{ dueAt: Date; giveUpAt: Date }>(sql`
    select due_at as "dueAt", give_up_at as "giveUpAt" from deliveries where team_id = ${team} and email_id = ${id}`)
  return { due: row!.dueAt.getTime(), giveUp: row!.giveUpAt.getTime() }
}

test('a team sees its own time, and its mail is due now in real time', async () => {
  const { app, ahead, other, world, real } = await start()

  const id = await sendEmail(ahead)
  const ledger = await ledgerOf(app, ahead, id)
  await app.deliverDue()
  const email = await readEmail(ahead, id)

  expect(ledger).toEqual({ due: real, giveUp: real + 72 * HOUR })
  expect(world.sent).toHaveLength(1)
  expect(email.timeline).toEqual(['sent', 'delivered'])
  expect([timeOfId(id), Date.parse(email.created_at), ...eventTimes(email)]).toEqual(Array(4).fill(real + MONTH))
  expect(Date.parse(email.events[0].data.created_at)).toBe(real + MONTH)
  expect((await ahead.get('/usage')).body.emails.daily.sent).toBe(1)

  // Nobody else's time or ids have moved with it.
  const its = await sendEmail(other)
  expect([timeOfId(its), Date.parse((await readEmail(other, its)).created_at)]).toEqual([real, real])
})

test('what a team schedules is due when its own time comes', async () => {
  const { app, ahead, world, real } = await start()
  const refused = await ahead.post('/emails', { ...SCHEDULED, scheduled_at: new Date(real + HOUR).toISOString() })

  const id = await sendEmail(ahead, { scheduled_at: 'in 1 hour' })
  const first = await readEmail(ahead, id)
  const due = (await ledgerOf(app, ahead, id)).due
  await ahead.patch(`/emails/${id}`, { scheduled_at: new Date(real + MONTH + 2 * HOUR).toISOString() })
  const later = await ledgerOf(app, ahead, id)

  expect(refused.body.message).toContain('It must be in the future.')
  expect(Date.parse(first.scheduled_at)).toBe(real + MONTH + HOUR)
  expect(due).toBe(real + HOUR)
  expect(later).toEqual({ due: real + 2 * HOUR, giveUp: real + 74 * HOUR })
  app.clock.advance(2 * 3_600 - 1)
  await app.deliverDue()
  expect(world.sent).toEqual([])
  app.clock.advance(1)
  await app.deliverDue()
  expect(world.sent).toHaveLength(1)
  expect(eventTimes(await readEmail(ahead, id))).toEqual([real + MONTH, ...Array(2).fill(real + MONTH + 2 * HOUR)])
})

const SCHEDULED = { from: 'hello@acme.dev', to: 'ada@example.com', subject: 'Hello', text: 'Hello' }

test('mail that is put off is tried again in real time', async () => {
  const { app, ahead, world, real } = await start()
  world.answer(() => DEFERRED)

  const id = await sendEmail(ahead)
  await app.deliverDue()
  const { due } = await ledgerOf(app, ahead, id)
  app.clock.advance(60)
  await app.deliverDue()

  expect(due).toBe(real + 60_000)
  expect(world.sent).toHaveLength(2)
})

test('an event tells the time of its team, and is signed in real time', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  app.clock.putAhead(acme.team, MONTH_SECONDS)
  const real = app.clock.now().getTime()
  await addWebhook(acme, receiver.url)

  await acme.post('/topics', { name: 'News', default_subscription: 'opt_in' })
  await app.deliverWebhooks()

  const [post] = receiver.received
  const { created_at, data } = JSON.parse(post!.body)
  expect([created_at, data.created_at].map((text) => Date.parse(text))).toEqual([real + MONTH, real + MONTH])
  expect(post!.headers['svix-timestamp']).toBe(String(Math.floor(real / 1_000)))
})
