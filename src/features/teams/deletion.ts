import type { Database, Queryable, Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { suspendWithOwner } from './queries.ts'

/** When a team is deleted. A time that was set before stays. Nothing: there is no such team. */
export async function setDeletion(trx: Transaction, team: string, at: Date): Promise<Date | undefined> {
  const [row] = await trx.query<{ deleteAt: Date }>(sql.write`
    update teams set delete_at = least(delete_at, ${at}::timestamptz) where id = ${team} and not is_system and not is_sandbox
    returning delete_at as "deleteAt"`)
  await suspendWithOwner(trx, team)
  return row?.deleteAt
}

/** False: there is nothing to undo, or it is too late. */
export async function unsetDeletion(trx: Transaction, team: string): Promise<boolean> {
  const rows = await trx.query(sql.write`
    update teams set delete_at = null where id = ${team} and delete_at is not null and not is_being_deleted returning id`)
  await suspendWithOwner(trx, team)
  return rows.length > 0
}

export async function isBeingDeleted(trx: Transaction, team: string): Promise<boolean> {
  const rows = await trx.query(sql`select id from teams where id = ${team} and is_being_deleted`)
  return rows.length > 0
}

/** From now on it cannot be undone. False: the team is gone, or is to stay. */
export async function beginDeletion(db: Queryable, team: string): Promise<boolean> {
  const rows = await db.query(sql.write`
    update teams set is_being_deleted = true where id = ${team} and delete_at <= ${db.clock.now()} returning id`)
  return rows.length > 0
}

/** Rows in a transaction: emails with bodies of 20 kB are some 0.2 s, and nobody waits behind it for longer. */
const SLICE = 2_000

/** Deletes all that teams have, slice by slice, and returns how many rows that were. The teams themselves stay. */
export async function deleteEverythingOf(db: Database, teams: readonly string[], signal: AbortSignal): Promise<number> {
  let rows = 0
  for (let deleted = SLICE; deleted === SLICE; rows += deleted) {
    signal.throwIfAborted()
    deleted = await db.transaction((trx) => deleteSlice(trx, teams, SLICE))
  }
  return rows
}

/** Deletes some rows of teams, and returns how many. 0: nothing but the teams is left. */
export async function deleteSlice(db: Queryable, teams: readonly string[], limit: number): Promise<number> {
  const [row] = await db.query<{ deleted: number }>(sql`
    select delete_slice_of_teams(${teams}::uuid[], ${limit}) as deleted`)
  return row!.deleted
}

export const deleteTeamRows = (db: Queryable, teams: readonly string[]) =>
  db.query(sql.write`delete from teams where id = any (${teams}::uuid[])`)
