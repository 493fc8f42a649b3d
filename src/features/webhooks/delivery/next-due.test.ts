import { expect, test } from 'vitest'
import type { App } from '../../../../test/harness/app.ts'
import { readBuffers } from '../../../../test/harness/buffers.ts'
import { addWebhook, happen, startWithReceiver } from '../../../../test/harness/webhooks.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { firstIdAt } from '../../../platform/ids.ts'
import { fanOut } from './fan-out.ts'
import { correctNextDue, findReady, readyQuery } from './next-due.ts'

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'
const WEBHOOKS = 3_000

const everything = ({ clock }: App) => ({ after: BEFORE_ALL, now: clock.now(), except: [] })
/** Those of this team: another test may have left some of its own. */
const readyOf = async (app: App, team: string) =>
  (await findReady(app.db, everything(app))).filter((ready) => ready.team === team)
const noted = ({ db }: App, team: string) =>
  db.query<{ webhookId: string; dueAt: Date }>(sql`
    select webhook_id as "webhookId", due_at as "dueAt" from webhook_next_due where team_id = ${team}`)

test('a look for webhooks that have something due reads none of those that wait for a retry', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const later = new Date(app.clock.now().getTime() + 3_600_000)
  await app.db.query(sql`
    insert into webhook_deliveries (team_id, webhook_id, event_id, failures, next_attempt_at, due_at)
    select gen_random_uuid(), gen_random_uuid(), ${firstIdAt(app.clock.now())}, 3, ${later}, ${later} from generate_series(1, ${WEBHOOKS}::int)`)
  await happen(app, acme, 1)
  await fanOut(app.db, app.clock.now())
  await app.db.query(sql`analyze webhook_next_due`)

  expect(await readyOf(app, acme.team)).toEqual([{ team: acme.team, webhookId: id }])
  expect(await readBuffers(app.db, readyQuery(everything(app)))).toBeLessThan(10)
})

test('what is not due any more is corrected to the next retry, and then to nothing', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  receiver.fail()
  await happen(app, acme, 1)
  await app.deliverWebhooks()
  const [row] = await app.db.query<{ dueAt: Date }>(
    sql`select due_at as "dueAt" from webhook_deliveries where team_id = ${acme.team}`,
  )

  expect(await noted(app, acme.team)).toEqual([{ webhookId: id, dueAt: row!.dueAt }])
  expect(await readyOf(app, acme.team)).toEqual([])

  receiver.succeed()
  app.clock.advance(3_600)
  await app.deliverWebhooks()
  expect(receiver.received).toHaveLength(2)
  expect(await noted(app, acme.team)).toEqual([])
})

test('a webhook that is disabled is not looked at, and one that is enabled again is', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  await happen(app, acme, 2)
  await fanOut(app.db, app.clock.now())
  await acme.patch(`/webhooks/${id}`, { status: 'disabled' })
  await app.deliverWebhooks()
  expect([await noted(app, acme.team), receiver.received]).toEqual([[], []])

  await acme.patch(`/webhooks/${id}`, { status: 'enabled' })
  await app.deliverWebhooks()
  expect(receiver.received).toHaveLength(2)
})

test('a delivery that becomes due while its webhook is corrected stays noted', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const { id } = await addWebhook(acme, receiver.url)
  const ready = [{ team: acme.team, webhookId: id }]
  await app.db.query(
    sql`insert into webhook_next_due (team_id, webhook_id, due_at) values (${acme.team}, ${id}, '-infinity')`,
  )
  await happen(app, acme, 1)
  await app.db.transaction(async (trx) => {
    await trx.query(sql`
      insert into webhook_deliveries (team_id, webhook_id, event_id, next_attempt_at, due_at)
      select team_id, ${id}, event_id, ${app.clock.now()}, ${app.clock.now()} from webhook_fan_outs where team_id = ${acme.team}`)
    await trx.query(sql`delete from webhook_fan_outs where team_id = ${acme.team}`)
    // It cannot see the delivery, and finds its row locked.
    await correctNextDue(app.db, ready, app.clock.now())
  })

  expect(await readyOf(app, acme.team)).toEqual(ready)
  await app.deliverWebhooks()
  expect(receiver.received).toHaveLength(1)
})
