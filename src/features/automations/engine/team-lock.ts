import type { Transaction } from '../../../kernel/db/database.ts'
import { type Sql, sql } from '../../../kernel/db/sql.ts'

// Whatever changes the runs of a team holds this lock until its transaction ends: the engine, and those who stop, delete or cancel.
// So an event of a contact is dealt with before the next one, whichever node takes it, and nothing starts behind a stop.

const keyOf = (team: string): Sql => sql`hashtextextended('automations ' || ${team}::text, 0)`

/** Waits for whoever has it: no longer than a batch of the engine takes. */
export async function lockTeam(trx: Transaction, team: string): Promise<void> {
  await trx.query(sql`select pg_advisory_xact_lock(${keyOf(team)})`)
}

/** False: somebody else is at work on this team. */
export async function tryLockTeam(trx: Transaction, team: string): Promise<boolean> {
  const [row] = await trx.query<{ isOurs: boolean }>(sql`select pg_try_advisory_xact_lock(${keyOf(team)}) as "isOurs"`)
  return row!.isOurs
}
