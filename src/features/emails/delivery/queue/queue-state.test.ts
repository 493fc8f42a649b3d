import { expect, test } from 'vitest'
import { emptyLedger, sendEmail, startAcme } from '../../../../../test/harness/emails.ts'
import { DEFERRED, NO_SUCH_USER, scriptedTransport } from '../../../../../test/harness/transport.ts'
import { MAX_COUNTED } from '../../../../kernel/db/bounded-read.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { readDeliveryQueues } from './queue-state.ts'

test('tells what is due, for how long, and what is due later', async () => {
  const { app, acme } = await startAcme()
  await emptyLedger(app)
  const due = await sendEmail(acme)
  const later = await sendEmail(acme, { scheduled_at: 'in 1 hour' })
  await sendEmail(acme, { scheduled_at: 'in 1 hour' })
  await app.db.query(
    sql`update deliveries set due_at = ${app.clock.now()}::timestamptz - interval '90 s' where email_id = ${due}`,
  )
  await app.db.query(sql`update deliveries set parked_for = 'mx.example.com' where email_id = ${later}`)

  const [single, broadcast] = await readDeliveryQueues(app.db)

  expect(single).toMatchObject({ kind: 'single', due: 1, later: 2, parked: 1, held: 0 })
  expect(single!.oldestDueSeconds).toBeGreaterThanOrEqual(90)
  expect(broadcast).toEqual({
    kind: 'broadcast',
    due: 0,
    later: 0,
    parked: 0,
    deferred: 0,
    held: 0,
    suspended: 0,
    on_hold: 0,
    approval: 0,
    oldestDueSeconds: 0,
  })
})

test('what is being sent is held, and not due', async () => {
  const { app, acme } = await startAcme()
  await emptyLedger(app)
  await sendEmail(acme)
  await app.db.query(sql`update deliveries set holder = 7, due_at = ${app.clock.now()}::timestamptz - interval '90 s'`)

  const [single] = await readDeliveryQueues(app.db)
  await emptyLedger(app)

  expect(single).toMatchObject({ due: 0, later: 0, held: 1, oldestDueSeconds: 0 })
})

test('a million rows are not counted: beyond a bound the number stays the same', async () => {
  const { app, acme } = await startAcme()
  await emptyLedger(app)
  const email = await sendEmail(acme)
  await app.db.query(sql`
    insert into deliveries (team_id, email_id, position, recipient, due_at, give_up_at)
    select ${acme.team}, ${email}, n, 'ada@example.com', ${app.clock.now()}, ${app.clock.now()} from generate_series(1, ${MAX_COUNTED + 500}::int) n`)

  const [single] = await readDeliveryQueues(app.db)
  await emptyLedger(app)

  expect(single!.due).toBe(MAX_COUNTED)
})

test('the metrics have the queue and the outcomes', async () => {
  const { transport, answer } = scriptedTransport()
  const { app, acme } = await startAcme({}, { transport })
  await emptyLedger(app)
  await sendEmail(acme)
  await app.deliverDue()
  answer((recipient) => (recipient.startsWith('bob') ? NO_SUCH_USER : DEFERRED))
  await sendEmail(acme, { to: ['ada@example.com', 'bob@example.com'] })
  await app.deliverDue()

  const metrics = await app.metrics.render()

  expect(metrics).toContain('postwren_deliveries{kind="single",state="later"} 1\n')
  expect(metrics).toContain('postwren_deliveries{kind="single",state="deferred"} 1\n')
  expect(metrics).toContain('postwren_deliveries_oldest_due_seconds{kind="single"} 0\n')
  expect(metrics).toContain('postwren_delivery_outcomes_total{outcome="delivered"} 1\n')
  expect(metrics).toContain('postwren_delivery_outcomes_total{outcome="deferred"} 1\n')
  expect(metrics).toContain('postwren_delivery_outcomes_total{outcome="bounced"} 1\n')
  expect(metrics).toContain('postwren_delivery_outcomes_total{outcome="failed"} 0\n')
})
