import type { Transaction } from '../../../kernel/db/database.ts'
import { anyTeam, sql } from '../../../kernel/db/sql.ts'

/** Deletes messages with all that was read of them. Whoever is reading one finds that it is gone. Gives those that were there. */
export async function deleteReceived(trx: Transaction, team: string, ids: readonly string[]): Promise<string[]> {
  const rows = await trx.query<{ id: string }>(sql.write`
    delete from received_emails where team_id = ${anyTeam(team)} and id = any (${ids}::uuid[]) returning id`)
  return rows.map(({ id }) => id)
}
