import type { Database, Queryable } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import type { Actor } from '../../../kernel/http/actor.ts'
import { found } from '../../../kernel/http/problem.ts'
import { MAX_QUOTED_LENGTH } from '../../../mail/quote/quote.ts'
import { type StoredBodies, unpacked } from '../../emails/reads.ts'
import { fileArrivals } from '../arrivals.ts'
import { bodiesOfMessage } from '../filing/bodies.ts'
import type { InboxesRepliesServices } from './services.ts'

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

export interface OriginalRef {
  readonly team: string
  readonly inbox: string
  /** Null: whichever it is in. */
  readonly thread: string | null
  readonly email: string
}

/** The email, which must be in the thread. One that came a moment ago may have to be filed first. */
export async function requireOriginal(
  services: InboxesRepliesServices,
  actor: Actor,
  given: Omit<OriginalRef, 'team'>,
): Promise<Original> {
  const ref = { team: actor.team, ...given }
  const original = await findOriginal(services.db, ref)
  if (original) return original
  await fileArrivals(services, actor)
  return found(await findOriginal(services.db, ref), 'Email')
}

const BODIES = bodiesOfMessage(sql`b.html, b.text`)

/** One that was merged into another has an old id that still leads to it. */
export async function findOriginal(
  db: Database,
  { team, inbox, thread, email }: OriginalRef,
): Promise<Original | undefined> {
  const [row] = await db.query<Original & StoredBodies>(sql`
    select m.id, m.thread_id as thread, m.direction, m."from", m."to", m.cc, m.reply_to as "replyTo", m.subject,
      m.message_id as "messageId", m."references", m.sent_at as "sentAt",
      left(b.html, ${MAX_QUOTED_LENGTH + 1}::int) as html, left(b.text, ${MAX_QUOTED_LENGTH + 1}::int) as text, b.content
    from inbox_messages m
    left join lateral (${BODIES}) b on true
    where m.team_id = ${team} and m.inbox_id = ${inbox} and m.id = ${email}
      and (${thread}::uuid is null or m.thread_id = coalesce(
        (select into_id from merged_inbox_threads t where t.team_id = ${team} and t.id = ${thread}), ${thread}))`)
  return row && unpacked(row)
}

/** The thread that an email is in at this moment. */
export async function findThreadOf(
  db: Queryable,
  { team, inbox }: Pick<OriginalRef, 'team' | 'inbox'>,
  email: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ thread: string }>(sql`
    select thread_id as thread from inbox_messages where team_id = ${team} and inbox_id = ${inbox} and id = ${email}`)
  return row?.thread
}

export const requireThreadOf = async (
  db: Queryable,
  ref: Pick<OriginalRef, 'team' | 'inbox'>,
  email: string,
): Promise<string> => found(await findThreadOf(db, ref, email), 'Email')
