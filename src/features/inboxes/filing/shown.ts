import type { Queryable } from '../../../kernel/db/database.ts'
import { type Sql, sql } from '../../../kernel/db/sql.ts'

// How threads and messages are shown, in answers and in events. Pieces are about `inbox_threads t` and `inbox_messages m`.

/** What was only sent is in `sent`, until somebody moves it. */
export const SHOWN_FOLDER: Sql = sql`case when t.folder = 'inbox' and t.traffic = 'outbound' then 'sent' else t.folder end`

/** Ids of labels that are gone are nothing. */
export const SHOWN_LABELS: Sql = sql`coalesce((
  select json_agg(json_build_object('id', l.id, 'name', l.name, 'color', l.color) order by lower(l.name))
  from inbox_labels l where l.team_id = t.team_id and l.id = any (t.labels) and l.inbox_id = t.inbox_id), '[]')`

export const SHOWN_THREAD: Sql = sql`json_build_object('object', 'inbox_thread', 'id', t.id, 'subject', t.subject,
  'folder', ${SHOWN_FOLDER}, 'labels', ${SHOWN_LABELS}, 'read', t.unread = 0, 'assignee_email', t.assignee_email)`

/** A message without its bodies. */
export const SHOWN_MESSAGE: Sql = sql`json_build_object('id', m.id, 'direction', m.direction, 'from', m."from", 'to', m."to",
  'cc', m.cc, 'bcc', m.bcc, 'reply_to', m.reply_to, 'subject', m.subject, 'message_id', m.message_id,
  'attachments', m.attachments, 'read', m.is_read, 'received_at', iso_time(m.created_at))`

export interface ThreadSummary {
  readonly object: 'inbox_thread'
  readonly id: string
  readonly subject: string | null
  readonly folder: 'inbox' | 'archive' | 'spam' | 'sent' | 'trash'
  readonly labels: { readonly id: string; readonly name: string; readonly color: string }[]
  readonly read: boolean
  readonly assignee_email: string | null
}

export async function threadSummary(db: Queryable, team: string, thread: string): Promise<ThreadSummary | undefined> {
  return (await threadSummaries(db, team, [thread])).get(thread)
}

export async function threadSummaries(
  db: Queryable,
  team: string,
  threads: readonly string[],
): Promise<Map<string, ThreadSummary>> {
  const rows = await db.query<{ id: string; thread: ThreadSummary }>(sql`
    select t.id, ${SHOWN_THREAD} as thread from inbox_threads t where t.team_id = ${team} and t.id = any (${threads}::uuid[])`)
  return new Map(rows.map(({ id, thread }) => [id, thread]))
}

export interface EmailSummary {
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly reply_to: readonly string[]
  readonly subject: string | null
  readonly message_id: string | null
  readonly attachments: readonly object[]
  readonly read: boolean
  readonly received_at: string
}

export async function emailSummary(
  db: Queryable,
  team: string,
  inbox: string,
  email: string,
): Promise<EmailSummary | undefined> {
  return (await emailSummaries(db, team, [{ inbox, email }])).get(`${inbox} ${email}`)
}

/** By inbox and email, with a space between. */
export async function emailSummaries(
  db: Queryable,
  team: string,
  emails: readonly { readonly inbox: string; readonly email: string }[],
): Promise<Map<string, EmailSummary>> {
  const rows = await db.query<{ inbox: string; id: string; email: EmailSummary }>(sql`
    select m.inbox_id as inbox, m.id, ${SHOWN_MESSAGE} as email
    from unnest(${emails.map(({ inbox }) => inbox)}::uuid[], ${emails.map(({ email }) => email)}::uuid[]) as wanted (inbox, email)
    join inbox_messages m on m.team_id = ${team} and m.inbox_id = wanted.inbox and m.id = wanted.email`)
  return new Map(rows.map(({ inbox, id, email }) => [`${inbox} ${id}`, email]))
}
