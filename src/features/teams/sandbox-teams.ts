import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Queryable, Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { deleteJobsOf } from '../../kernel/jobs/queries.ts'
import { deleteKeysOf } from '../api-keys/index.ts'
import { deleteEverythingOf, deleteTeamRows } from './deletion.ts'

// A sandbox that has ended is a team that nobody can reach: `delete_at` says since when. Everything of it is deleted at once, and what
// came in at that very moment some minutes later, with the team itself. Until then whoever is under way finds a team to write for.

/** Longer than anything takes to write that has begun before the end. */
const LINGER_MS = 10 * 60_000

/** So many end, or are deleted, together. To look through all tables takes some milliseconds, however few rows there are. */
const BATCH = 50

/** Ends those that `close` has just closed: their keys open nothing from now on. Tells whether there may be more. */
export const endSandboxes = (
  db: Database,
  close: (trx: Transaction, limit: number) => Promise<readonly string[]>,
): Promise<boolean> =>
  db.transaction(async (trx) => {
    const ended = await close(trx, BATCH)
    if (ended.length > 0) await endTeams(trx, ended)
    return ended.length === BATCH
  })

export async function endTeams(trx: Transaction, sandboxes: readonly string[]) {
  await deleteKeysOf(trx, sandboxes)
  await trx.query(sql.write`
    update teams set delete_at = ${trx.clock.now()} where id = any (${sandboxes}::uuid[]) and is_sandbox`)
}

/** Deletes what is left of sandboxes that have ended. Whoever comes after a crash goes on with what is left. */
export async function deleteEnded(db: Database, signal: AbortSignal) {
  for (let teams = await findEnded(db); teams.length > 0; teams = await findEnded(db)) {
    await clear(db, teams, signal)
    await db.query(sql.write`update teams set is_being_deleted = true where id = any (${teams}::uuid[])`)
  }
  for (let teams = await findCleared(db); teams.length > 0; teams = await findCleared(db)) {
    await clear(db, teams, signal)
    await db.transaction((trx) => deleteTeamRows(trx, teams))
  }
}

/** Works half of the time, so that others find the database at rest for as long. */
async function clear(db: Database, teams: readonly string[], signal: AbortSignal) {
  const begun = performance.now()
  await db.transaction((trx) => deleteJobsOf(trx, teams))
  await deleteEverythingOf(db, teams, signal)
  await wait(performance.now() - begun, undefined, { signal })
}

const findEnded = (db: Queryable) =>
  idsOf(db, sql`select id from teams where is_sandbox and delete_at is not null and not is_being_deleted`)

const findCleared = (db: Queryable) =>
  idsOf(
    db,
    sql`select id from teams where is_sandbox and is_being_deleted and delete_at <= ${new Date(db.clock.now().getTime() - LINGER_MS)}`,
  )

async function idsOf(db: Queryable, teams: ReturnType<typeof sql>): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`${teams} order by delete_at limit ${BATCH}`)
  return rows.map(({ id }) => id)
}
