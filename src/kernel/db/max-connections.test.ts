import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openBackend } from '../../../test/harness/backends.ts'
import { freshDatabase, PATIENT } from '../../../test/harness/database.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { systemClock } from '../../platform/clock.ts'
import { ROLES } from '../../platform/settings/config.ts'
import { connectionBudget } from '../../platform/settings/connection-budget.ts'
import { ConnectionSlots } from './connection-slots.ts'
import { Database } from './database.ts'
import type { Limits } from './limits.ts'
import { sql } from './sql.ts'
import { TeamShares } from './team-shares.ts'

const budgetOf = (connections: number) =>
  connectionBudget({ ROLES, DATABASE_URL: 'postgres://db.example/mail', DATABASE_CONNECTIONS: connections })

async function connect(connections: number, limits: Partial<Limits> = {}) {
  const budget = budgetOf(connections)
  const db = Database.connect(await freshDatabase(), {
    clock: systemClock,
    budget,
    presence: PATIENT.presence,
    limits: { ...PATIENT.limits, ...limits },
  })
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
  [6, 3],
  [8, 4],
  [14, 9],
  [30, 25],
])('a process with at most %i connections has no more, and %i of them for transactions', async (most, pooled) => {
  // Statements are asked about at once, on one more connection.
  const db = await connect(most, { probeAfterMs: 20 })
  const backend = await openBackend()
  await backend.hold('lock table segments in access exclusive mode')

  // More than there is room for, of each kind.
  const asked = [
    ...Array.from({ length: 40 }, () => db.queryPooled(sql`select from segments`)),
    ...Array.from({ length: 40 }, () => db.query(sql`select 1 as one`)),
  ]
  await backend.waiters(pooled)

  for (let look = 0; look < 20; look++) expect(await countConnections()).toBeLessThanOrEqual(most)
  expect(db.load).toMatchObject({ pooled, idle: 0, waiting: 40 - pooled })
  await backend.release()
  await Promise.all(asked)
})

test('a connection that takes the place of another waits until that has ended', async () => {
  const most = 8
  // None is used twice.
  const db = await connect(most, { idleMs: 0 })
  const seen = new Set<number>()
  let isOver = false
  const watching = (async () => {
    while (!isOver) seen.add(await countConnections())
  })()

  const work = async () => {
    for (let round = 0; round < 20; round++) {
      await db.query(sql`select 1 as one`)
      await db.queryPooled(sql`select 1 as one`)
    }
  }
  await Promise.all(Array.from({ length: 20 }, work))
  isOver = true
  await watching

  expect(Math.max(...seen)).toBeLessThanOrEqual(most)
})

test('a slot that is not given back in time is an error of whoever wants one, and not of the next', async () => {
  const slots = new ConnectionSlots(1)
  const release = await slots.take(1_000)
  await expect(slots.take(1)).rejects.toThrow('have not ended within')
  const next = slots.take(60_000)
  release()
  release()
  const releaseNext = await next

  await expect(slots.take(1)).rejects.toThrow('have not ended within')
  releaseNext()
  await slots.take(1)
})

test.each([
  [14, { connections: [3, 4], jobs: [2, 3] }],
  [16, { connections: [3, 5], jobs: [2, 3] }],
  [8, { connections: [1, 2], jobs: [1, 1] }],
  [6, { connections: [1, 1], jobs: [1, 1] }],
])('of %i connections one team and all teams together have %j', async (connections, expected) => {
  const shares = new TeamShares(budgetOf(connections))
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
