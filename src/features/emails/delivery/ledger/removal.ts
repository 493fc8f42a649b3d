import type { Transaction } from '../../../../kernel/db/database.ts'
import { anyTeam, sql } from '../../../../kernel/db/sql.ts'

/**
 * Deletes emails with all that is kept of them: bodies, files, and their rows of the ledger. What happened to them stays in the outbox and
 * in the metrics. A worker that has one in flight settles nothing when it comes back. Gives those that were there.
 */
export async function deleteEmails(trx: Transaction, team: string, ids: readonly string[]): Promise<string[]> {
  // In the order in which rows are settled, so that neither waits for the other.
  await trx.query(sql`
    select from deliveries where team_id = ${anyTeam(team)} and email_id = any (${ids}::uuid[])
    order by team_id, email_id, position for update`)
  const rows = await trx.query<{ id: string }>(sql.write`
    delete from emails where team_id = ${anyTeam(team)} and id = any (${ids}::uuid[]) returning id`)
  return rows.map(({ id }) => id)
}
