import type { Queryable, Transaction } from '../../../../kernel/db/database.ts'
import { anyTeam, sql } from '../../../../kernel/db/sql.ts'
import { type Expired, isAmong, type OldRow, oldRows } from '../../../../kernel/jobs/retention.ts'
import { hasEndedBefore } from '../../reads.ts'

/** What an email says, which may go before it does. Their ids, and what is deleted with them: blobs are noted by triggers. */
const CONTENTS = [
  { table: sql`email_bodies`, deletion: sql.write`delete from email_bodies` },
  { table: sql`email_attachments`, deletion: sql.write`delete from email_attachments` },
  { table: sql`submitted_messages`, deletion: sql.write`delete from submitted_messages` },
]

/** Deletes the contents of some emails that ended too long ago. Gives the emails; none: that was all. */
export async function deleteContentsBefore(db: Queryable, expired: Expired): Promise<OldRow[]> {
  const condition = sql`and ${hasEndedBefore({ team: sql`r.team_id`, id: sql`r.email_id` }, sql`owner.moment`)}`
  for (const { table, deletion } of CONTENTS) {
    const old = await db.query<OldRow>(
      sql`select distinct given.team, given.id from (${oldRows(table, expired, { key: KEY, createdAt: null, condition })}) given`,
    )
    if (old.length === 0) continue
    await db.query(sql`${deletion} r where ${isAmong(old, KEY)}`)
    return old
  }
  return []
}

const KEY = sql`email_id`

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
