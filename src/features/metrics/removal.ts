import type { Transaction } from '../../kernel/db/database.ts'
import { anyTeam, sql } from '../../kernel/db/sql.ts'

/** Deletes what is known of single emails. The counters stay as they are. */
export const deleteFacts = (trx: Transaction, team: string, emails: readonly string[]) =>
  trx.query(sql.write`
    delete from metric_facts where team_id = ${anyTeam(team)} and email_id = any (${emails}::uuid[])`)
