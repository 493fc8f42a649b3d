import type { Transaction } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'

/**
 * Corrects when a team has its next run that is due, once that time has come. A trigger has only made it earlier. The row is locked
 * before runs are looked at: who moves the clock of a sandbox holds no lock of the team, and makes runs due at the same time.
 */
export async function correctNextDue(trx: Transaction, team: string): Promise<void> {
  const [known] = await trx.query<{ dueAt: Date }>(sql`
    select due_at as "dueAt" from automation_next_due where team_id = ${team} for update`)
  if (!known || known.dueAt > trx.clock.now()) return
  await trx.query(sql.write`
    with next as materialized (
      select r.due_at from automation_runs r where r.team_id = ${team} and r.due_at is not null order by r.due_at limit 1),
    gone as (
      delete from automation_next_due n where n.team_id = ${team} and not exists (select from next))
    update automation_next_due n set due_at = next.due_at
    from next where n.team_id = ${team} and n.due_at <> next.due_at`)
}
