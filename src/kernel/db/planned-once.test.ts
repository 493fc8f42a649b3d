import { expect, test } from 'vitest'
import { startAcme } from '../../../test/harness/emails.ts'
import { sql } from './sql.ts'

test('a statement that is planned once has one plan for all values, and the next one chooses again', async () => {
  const { app, acme } = await startAcme()
  const mode = sql`select current_setting('plan_cache_mode') as mode`
  const db = await app.db.forTeam(acme.team)

  expect(await db.queryPlannedOnce(mode)).toEqual([{ mode: 'force_generic_plan' }])
  expect(await db.search(mode)).toEqual([{ mode: 'force_custom_plan' }])
  expect(await db.queryPooled(mode)).toEqual([{ mode: 'auto' }])
})

test('a queue that is empty is looked at by its index, since the plan stays when it fills', async () => {
  const { app, acme } = await startAcme()
  await app.db.queryPooled(sql`vacuum analyze webhook_fan_outs`)

  const lines = await app.db.queryPooled<{ 'QUERY PLAN': string }>(sql`
    explain select event_id from webhook_fan_outs where team_id = ${acme.team} order by event_id limit 1`)

  expect(lines.map((line) => line['QUERY PLAN']).join('\n')).not.toContain('Seq Scan')
})
