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
