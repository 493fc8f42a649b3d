import { expect, test } from 'vitest'
import { startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../platform/ids.ts'
import { pooled } from '../db/database.ts'
import { raw, sql } from '../db/sql.ts'
import { findPartitions } from './catalog.ts'
import { makePartitions } from './make.ts'
import { PARTITIONED_TABLES } from './tables.ts'

const DAY = 24 * 3_600
const LOGS = PARTITIONED_TABLES.find(({ name }) => name === 'request_logs')!

test('a list over ninety partitions stops where its page is full', async () => {
  const { app } = await startAcme()
  await makePartitions(app.db)
  const team = newId(app.clock)
  for (let day = 0; day < 90; day += 6) {
    await app.db.query(sql.write`
      insert into request_logs (team_id, id, method, endpoint, response_status, created_at)
      select ${team}, id, 'GET', '/emails', 200, ${app.clock.now()} from unnest(${Array.from({ length: 30 }, () => newId(app.clock))}::uuid[]) id`)
    app.clock.advance(6 * DAY)
    await makePartitions(app.db)
  }

  const plan = await pooled(app.db).query<Record<string, string>>(sql`
    explain (analyze, costs off, timing off, summary off) select id from request_logs where team_id = ${raw(`'${team}'`)}
    order by id desc limit 20`)

  const lines = plan.map((line) => line['QUERY PLAN']!)
  expect(lines.some((line) => line.includes('Append') && !line.includes('Merge'))).toBe(true)
  expect((await findPartitions(app.db, LOGS)).length).toBeGreaterThan(90)
  expect(lines.filter((line) => line.includes('never executed')).length).toBeGreaterThan(60)
  expect(lines.join('\n')).not.toContain('Sort')
})
