import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'

/** When a team is deleted. A time that was set before stays. Nothing: there is no such team. */
export async function setDeletion(trx: Transaction, team: string, at: Date): Promise<Date | undefined> {
  const [row] = await trx.query<{ deleteAt: Date }>(sql`
    update teams set delete_at = least(delete_at, ${at}::timestamptz) where id = ${team} and not is_system
    returning delete_at as "deleteAt"`)
  return row?.deleteAt
}

/** False: there is nothing to undo, or it is too late. */
export async function unsetDeletion(trx: Transaction, team: string): Promise<boolean> {
  const rows = await trx.query(sql`
    update teams set delete_at = null where id = ${team} and delete_at is not null and not is_being_deleted returning id`)
  return rows.length > 0
}

export async function isBeingDeleted(trx: Transaction, team: string): Promise<boolean> {
  const rows = await trx.query(sql`select id from teams where id = ${team} and is_being_deleted`)
  return rows.length > 0
}

/** From now on it cannot be undone. False: the team is gone, or is to stay. */
export async function beginDeletion(db: Queryable, team: string): Promise<boolean> {
  const rows = await db.query(sql`
    update teams set is_being_deleted = true where id = ${team} and delete_at <= ${db.clock.now()} returning id`)
  return rows.length > 0
}

/** Deletes some rows of a team, and tells how many. 0: nothing but the team is left. */
export async function deleteSlice(db: Queryable, team: string, limit: number): Promise<number> {
  const [row] = await db.query<{ deleted: number }>(sql`select delete_slice_of_team(${team}, ${limit}) as deleted`)
  return row!.deleted
}

export const deleteTeamRow = (db: Queryable, team: string) => db.query(sql`delete from teams where id = ${team}`)
