import type { Queryable, Transaction } from '../../../../kernel/db/database.ts'
import { anyTeam, sql } from '../../../../kernel/db/sql.ts'
import { type Expired, isAmong, type OldRow, oldRows } from '../../../../kernel/jobs/retention.ts'
import { updateEventData } from '../../../../kernel/outbox/record.ts'
import type { Clock } from '../../../../platform/clock.ts'
import { firstIdAt } from '../../../../platform/ids.ts'
import { eventData, hasEndedBefore } from '../../reads.ts'

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

/**
 * Deletes the attachments of some emails that ended too long ago, with the messages as they came by SMTP, which have them once more. Gives the emails; none: that was all.
 */
export async function deleteAttachmentsBefore(db: Queryable, expired: Expired): Promise<OldRow[]> {
  const condition = sql`and ${hasEndedBefore({ team: sql`r.team_id`, id: sql`r.email_id` }, sql`owner.moment`)}`
  const old = await db.query<OldRow>(
    sql`select distinct given.team, given.id from (${oldRows(sql`email_attachments`, expired, { key: KEY, createdAt: null, condition })}) given`,
  )
  if (old.length > 0)
    await db.query(sql.write`
      with submitted as (delete from submitted_messages r where ${isAmong(old, KEY)})
      delete from email_attachments r where ${isAmong(old, KEY)}`)
  return old
}

const KEY = sql`email_id`

const WEEK_MS = 7 * 24 * 3_600_000

/** Webhooks and others that have still to hear of these emails hear the same as before. What is older says what it has. */
const completeEvents = (clock: Clock, { team, ids }: { readonly team: string; readonly ids: readonly string[] }) =>
  updateEventData(
    eventData('o'),
    sql`o.team_id = ${anyTeam(team)} and o.about = any (${ids}::uuid[]) and o.id >= ${firstIdAt(new Date(clock.of(team).now().getTime() - WEEK_MS), team)}
      and o.data -> 'email_id' is null`,
  )

/**
 * Deletes emails with all that is kept of them: bodies, files, and their rows of the ledger. What happened to them stays in the outbox and
 * in the metrics. A worker that has one in flight settles nothing when it comes back. Gives those that were there.
 */
export async function deleteEmails(trx: Transaction, team: string, ids: readonly string[]): Promise<string[]> {
  // Before the rows of the ledger, as whoever decides about one locks it.
  await trx.query(sql.write`delete from approvals where team_id = ${anyTeam(team)} and email_id = any (${ids}::uuid[])`)
  // In the order in which rows are settled, so that neither waits for the other.
  await trx.query(sql`
    select from deliveries where team_id = ${anyTeam(team)} and email_id = any (${ids}::uuid[])
    order by team_id, email_id, position for update`)
  await trx.query(completeEvents(trx.clock, { team, ids }))
  const rows = await trx.query<{ id: string }>(sql.write`
    delete from emails where team_id = ${anyTeam(team)} and id = any (${ids}::uuid[]) returning id`)
  return rows.map(({ id }) => id)
}
