import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openBackend } from '../../../test/harness/backends.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { systemClock } from '../../platform/clock.ts'
import { Database } from './database.ts'
import { sql } from './sql.ts'
import { TeamShares } from './team-shares.ts'

async function connect(maxConnections?: number) {
  const db = Database.connect(await freshDatabase(), { clock: systemClock, ...(maxConnections && { maxConnections }) })
  onTestFinished(() => db.close())
  await db.presence.start()
  return db
}

/** Of this process, as PostgreSQL counts. */
async function countConnections() {
  const client = new pg.Client({ ...(await freshDatabase()), application_name: 'test' })
  await client.connect()
  const { rows } = await client.query<{ count: number }>(`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name like 'postwren%'`)
  await client.end()
  return rows[0]!.count
}

test.each([
  [8, 4],
  [16, 12],
  [30, 26],
])('a process with at most %i connections has no more, and %i of them for transactions', async (most, pooled) => {
  const db = await connect(most)
  const backend = await openBackend()
  await backend.hold('lock table segments in access exclusive mode')

  // More than there is room for, of each kind.
  const asked = [
    ...Array.from({ length: 40 }, () => db.queryPooled(sql`select from segments`)),
    ...Array.from({ length: 40 }, () => db.query(sql`select 1 as one`)),
  ]
  await backend.waiters(pooled)

  expect(await countConnections()).toBe(most)
  expect(db.load).toMatchObject({ pooled, idle: 0, waiting: 40 - pooled })
  await backend.release()
  await Promise.all(asked)
})

test.each([
  [12, { connections: [4, 6], jobs: [2, 3] }],
  [4, { connections: [1, 2], jobs: [1, 1] }],
])('of %i connections one team and all teams together have %j', async (pooled, expected) => {
  const shares = new TeamShares(pooled)
  const gate = makeGate()
  const working: Promise<unknown>[] = []
  const takenOf = (queue: 'connections' | 'jobs') =>
    ['acme', 'globex'].map((team) => {
      for (let index = 0; index < 20; index++) working.push(shares[queue].run(team, () => gate.opened))
      return shares[queue].taken
    })

  expect({ connections: takenOf('connections'), jobs: takenOf('jobs') }).toEqual(expected)
  gate.open()
  await Promise.all(working)
})
