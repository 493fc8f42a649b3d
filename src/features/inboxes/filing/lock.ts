import type { Transaction } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'

/**
 * Whoever changes something in an inbox has this first, until the transaction ends: changes of one inbox come one after the other, and
 * what triggers count there never waits for each other. Several are locked in the order of their ids. False: there is no such inbox.
 */
export async function lockInbox(trx: Transaction, team: string, inbox: string): Promise<boolean> {
  const [locked] = await lockInboxes(trx, team, [inbox])
  return locked !== undefined
}

/** Those that there are, by id. */
export async function lockInboxes(trx: Transaction, team: string, inboxes: readonly string[]): Promise<string[]> {
  const rows = await trx.query<{ id: string }>(sql`
    select id from inboxes where team_id = ${team} and id = any (${inboxes}::uuid[]) order by id for no key update`)
  return rows.map(({ id }) => id)
}
