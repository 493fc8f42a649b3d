import type { Database, Queryable } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import { latestRows, updateLastEvents } from './last-events.ts'

// For operators, beside the worker: what waits in the ledger of all teams, and how to take it out. Mail of sandboxes goes nowhere, and is
// of no interest here.

export interface WaitingMail {
  readonly team: string
  readonly recipients: number
  readonly emails: number
  readonly oldestDueAt: Date
  readonly newestDueAt: Date
}

const isDueBefore = (time: Date) => sql`d.state = 'waiting' and d.due_at < ${time} and not is_sandbox(d.team_id)`

/** By team, the one with the most first. */
export const summarizeWaiting = (db: Database, dueBefore: Date): Promise<WaitingMail[]> =>
  db.queryPooled<WaitingMail>(sql`
    select t.name as team, count(*)::int as recipients, count(distinct d.email_id)::int as emails,
      min(d.due_at) as "oldestDueAt", max(d.due_at) as "newestDueAt"
    from deliveries d join teams t on t.id = d.team_id
    where ${isDueBefore(dueBefore)} group by t.id order by recipients desc, t.name`)

export interface WaitingRecipient {
  readonly emailId: string
  readonly recipient: string
  readonly subject: string
  readonly dueAt: Date
}

export const findWaiting = (db: Database, dueBefore: Date, limit: number): Promise<WaitingRecipient[]> =>
  db.queryPooled<WaitingRecipient>(sql`
    select d.email_id as "emailId", d.recipient, left(e.subject, 60) as subject, d.due_at as "dueAt"
    from deliveries d join emails e on e.team_id = d.team_id and e.id = d.email_id
    where ${isDueBefore(dueBefore)} order by d.due_at limit ${limit}`)

const BATCH = 1_000

/**
 * Takes what was due before this time out of the ledger, for good, and tells how many recipients that were. The status of an email of
 * which nothing else has become of is `canceled`. Nobody is told: whoever restores a database does not know what the outside has heard.
 */
export async function cancelWaiting(db: Database, dueBefore: Date, now: Date): Promise<number> {
  let canceled = 0
  for (;;) {
    const count = await db.transaction((trx) => cancelSome(trx, dueBefore, now))
    canceled += count
    if (count < BATCH) return canceled
  }
}

async function cancelSome(trx: Queryable, dueBefore: Date, now: Date): Promise<number> {
  const reply = `Canceled by the operator: it was due before ${dueBefore.toISOString()}.`
  const emails = await trx.query<{ team: string; id: string }>(sql`
    with taken as materialized (
      select d.team_id, d.email_id, d.position from deliveries d
      where ${isDueBefore(dueBefore)} order by d.team_id, d.email_id, d.position limit ${BATCH} for update)
    update deliveries d set state = 'canceled', settled_at = ${now}, holder = null,
      replies = d.replies || jsonb_build_object('at', iso_time(${now}), 'reply', ${reply}::text)
    from taken where d.team_id = taken.team_id and d.email_id = taken.email_id and d.position = taken.position
    returning d.team_id as team, d.email_id as id`)
  const canceled = emails.map(({ team, id }) => ({ team, id, event: 'canceled' as const }))
  await trx.query(sql`
    ${updateLastEvents(sql`(select distinct * from ${latestRows(canceled)} as given)`)}
      and not exists (select from deliveries d where d.team_id = e.team_id and d.email_id = e.id and d.state <> 'canceled')`)
  return emails.length
}
