import type { Database, Queryable } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import type { Actor } from '../../../kernel/http/actor.ts'
import { found } from '../../../kernel/http/problem.ts'
import { MOST_QUOTED } from '../../../mail/quote/quote.ts'
import type { Services } from '../../services.ts'
import { fileArrivals } from '../arrivals.ts'

/** An email of an inbox that is answered or forwarded. */
export interface Original {
  readonly id: string
  readonly thread: string
  readonly direction: 'inbound' | 'outbound'
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly replyTo: readonly string[]
  readonly subject: string | null
  readonly messageId: string | null
  readonly references: readonly string[]
  readonly sentAt: Date
  /** One character longer than what is quoted: then there is more of it. */
  readonly html: string | null
  readonly text: string | null
}

export interface OriginalPlace {
  readonly team: string
  readonly inbox: string
  /** Null: whichever it is in. */
  readonly thread: string | null
  readonly email: string
}

/** The email, which must be in the thread. One that came a moment ago may have to be filed first. */
export async function requireOriginal(
  services: Services,
  actor: Actor,
  given: Omit<OriginalPlace, 'team'>,
): Promise<Original> {
  const place = { team: actor.team, ...given }
  const original = await findOriginal(services.db, place)
  if (original) return original
  await fileArrivals(services, actor)
  return found(await findOriginal(services.db, place), 'Email')
}

/** One that was merged into another has an old id that still leads to it. */
export async function findOriginal(
  db: Database,
  { team, inbox, thread, email }: OriginalPlace,
): Promise<Original | undefined> {
  const [row] = await db.query<Original>(sql`
    select m.id, m.thread_id as thread, m.direction, m."from", m."to", m.cc, m.reply_to as "replyTo", m.subject,
      m.message_id as "messageId", m."references", m.sent_at as "sentAt",
      left(b.html, ${MOST_QUOTED + 1}::int) as html, left(b.text, ${MOST_QUOTED + 1}::int) as text
    from inbox_messages m
    left join lateral (
      select html, text from received_bodies r
      where m.direction = 'inbound' and r.team_id = m.team_id and r.received_id = m.id
      union all
      select html, text from email_bodies e
      where m.direction = 'outbound' and e.team_id = m.team_id and e.email_id = m.id) b on true
    where m.team_id = ${team} and m.inbox_id = ${inbox} and m.id = ${email}
      and (${thread}::uuid is null or m.thread_id = coalesce(
        (select into_id from merged_inbox_threads t where t.team_id = ${team} and t.id = ${thread}), ${thread}))`)
  return row
}

/** The thread that an email is in at this moment. */
export async function findThreadOf(
  db: Queryable,
  { team, inbox }: Pick<OriginalPlace, 'team' | 'inbox'>,
  email: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ thread: string }>(sql`
    select thread_id as thread from inbox_messages where team_id = ${team} and inbox_id = ${inbox} and id = ${email}`)
  return row?.thread
}

export const requireThreadOf = async (
  db: Queryable,
  place: Pick<OriginalPlace, 'team' | 'inbox'>,
  email: string,
): Promise<string> => found(await findThreadOf(db, place, email), 'Email')
