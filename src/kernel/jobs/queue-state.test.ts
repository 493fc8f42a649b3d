import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { sql } from '../db/sql.ts'
import { readJobQueues } from './queue-state.ts'

test('tells of each kind of job what waits, what runs, what has failed, and for how long the oldest has been due', async () => {
  const app = await startApp()
  const now = sql`${app.clock.now()}::timestamptz`
  await app.db.query(sql`truncate jobs`)
  await app.db.query(sql`
    insert into jobs (id, name, payload, run_at, holder, failed_at, created_at) values
      (gen_random_uuid(), 'a', '{}', ${now} - interval '90 s', null, null, ${now}),
      (gen_random_uuid(), 'a', '{}', ${now} + interval '1 hour', null, null, ${now}),
      (gen_random_uuid(), 'a', '{}', ${now} - interval '1 hour', 7, null, ${now}),
      (gen_random_uuid(), 'b', '{}', ${now} - interval '1 hour', null, ${now}, ${now})`)

  const [a, b, c] = await readJobQueues(app.db, ['a', 'b', 'c'])
  await app.db.query(sql`truncate jobs`)

  expect(a).toMatchObject({ name: 'a', waiting: 2, held: 1, failed: 0 })
  expect(Math.floor(a!.oldestDueSeconds)).toBeGreaterThanOrEqual(90)
  expect(a!.oldestDueSeconds).toBeLessThan(3_600)
  expect(b).toEqual({ name: 'b', waiting: 0, held: 0, failed: 1, oldestDueSeconds: 0 })
  expect(c).toEqual({ name: 'c', waiting: 0, held: 0, failed: 0, oldestDueSeconds: 0 })
})
