import type { Database, Queryable } from '../../../../kernel/db/database.ts'
import { rowsOf } from '../../../../kernel/db/rows.ts'
import { join, keyOf, raw, type Sql, sql } from '../../../../kernel/db/sql.ts'
import { eventsAbout } from '../../../../kernel/outbox/events.ts'
import { insertNewEvents } from '../../../../kernel/outbox/record.ts'
import { tracing, whileRecent } from '../../../../platform/observability/tracing.ts'
import { keyExists } from '../../../api-keys/reads.ts'
import { JOIN_RECIPIENT } from '../../../broadcasts/reads.ts'
import { isToBeJudged } from '../../../policies/reads.ts'
import { bytesOfHtml, bytesOfText } from '../../reads.ts'
import { type Email, emailEventData } from '../email.ts'
import { Broadcasts, type LoadedBroadcast } from '../message/broadcasts.ts'
import type { Content } from '../message/contents.ts'
import { MAX_EVENT_HEAD_BYTES, MAX_HEAD_BYTES, type Sizes } from '../message/weight.ts'
import { emailColumns, LONG_FIELDS } from './email-fields.ts'
import { updateLastEvents } from './last-events.ts'
import type { Claimed } from './queries.ts'

/** An email with all that is needed to decide about it. Its content is loaded when there is room for it: see `Contents`. */
export interface LoadedEmail extends Email {
  readonly sizes: Sizes
  /** A recipient email of a broadcast has what is its recipient's own, and its content is the broadcast's. */
  readonly broadcast: LoadedBroadcast | null
  /** Its time has come and nobody has begun with it yet. */
  readonly isScheduled: boolean
  /** Its key was deleted before its time had come: then it is not sent. */
  readonly isDisowned: boolean
  /** Set: a policy has still to be asked about it. */
  readonly isUnjudged?: boolean
  /** When it was to go out: its Date header. */
  readonly sentAt: Date
  /** Of an email that goes straight through: it need not be loaded. */
  readonly content?: Content
}

export async function loadEmail(db: Database, team: string, emailId: string): Promise<LoadedEmail | undefined> {
  const [email] = await loadEmails(db, [{ team, emailId }], new Broadcasts(db))
  return email
}

/** It was no key that sent it, or one that is still there. */
export const IS_OWNED = sql`(e.api_key_id is null or ${keyExists(sql`e.team_id`, sql`e.api_key_id`)})`
const WAS_BEGUN = sql`exists (select from ${eventsAbout(keyOf('e'))} and o.type = 'email.sent')`

// Not `pg_column_size`: of what is compressed in its row it tells a hundredth.
const HEAD = sql`
  cross join lateral (
    select ${join(
      LONG_FIELDS.map(({ column }) => sql`coalesce(octet_length(${column}::text), 0)`),
      ' + ',
    )} as bytes
    offset 0) head`
const isHeadWithin = (bytes: number) => sql`head.bytes <= ${raw(String(bytes))}`
const eventColumn = (column: string) => sql`case when ${isHeadWithin(MAX_EVENT_HEAD_BYTES)} then e.${raw(column)} end`

/** What is left of a long field. */
const shortened = ({ column, type, isNullable }: (typeof LONG_FIELDS)[number]): Sql => {
  if (isNullable) return sql`null`
  return type === 'text' ? sql`left(${column}, 1000)` : sql`'[]'`
}
const bounded = (field: (typeof LONG_FIELDS)[number]): Sql =>
  sql`case when ${isHeadWithin(MAX_HEAD_BYTES)} then ${field.column} else ${shortened(field)} end`

/** Whatever lies in the table, not more than a process can hold a thousand times. */
const BOUNDED_COLUMNS = emailColumns({
  ...Object.fromEntries(LONG_FIELDS.map((field) => [field.name, bounded(field)])),
  messageId: sql`left(e.message_id, 1000)`,
  headers: eventColumn('headers'),
  tags: eventColumn('tags'),
})

const TRACE_CONTEXT = sql`encode(e.trace_context, 'hex') as "traceContext",`

/** The length in bytes of a text that is stored elsewhere is known without fetching it: 100 MB cost no more than 100 bytes. */
const SIZES = sql`
  json_build_object('head', head.bytes, 'html', coalesce(m.html_bytes, ${bytesOfHtml()}, 0),
    'text', case when m.size is null then coalesce(${bytesOfText()}, 0) else 0 end,
    'attachments', coalesce(a.bytes, 0), 'attachmentRows', coalesce(a.row_bytes, 0),
    'variables', coalesce(octet_length(r.variables::text), 0), 'submitted', coalesce(m.size, 0)) as sizes`

const ATTACHMENT_ROW_BYTES = sql`
  200 + coalesce(octet_length(a.filename), 0) + octet_length(a.content_type) + coalesce(octet_length(a.content_id), 0) + octet_length(a.blob)`

export async function loadEmails(
  db: Database,
  claimed: readonly Pick<Claimed, 'team' | 'emailId'>[],
  broadcasts: Broadcasts,
): Promise<LoadedEmail[]> {
  const emails = await db.queryPooled<Omit<LoadedEmail, 'broadcast'>>(sql`
    select ${BOUNDED_COLUMNS}, ${SIZES}, ${tracing ? TRACE_CONTEXT : sql``} e.last_event = 'scheduled' as "isScheduled",
      coalesce(e.scheduled_at, e.created_at) as "sentAt",
      e.scheduled_at is not null and not ${IS_OWNED} and not ${WAS_BEGUN} as "isDisowned"
    from ${wanted(claimed.map(({ team, emailId }) => ({ team, id: emailId })))}
    join emails e using (team_id, id)
    ${HEAD}
    left join email_bodies b on b.team_id = e.team_id and b.email_id = e.id
    left join submitted_messages m on m.team_id = e.team_id and m.email_id = e.id
    left join lateral (
      select sum(a.size)::float8 as bytes, sum(${ATTACHMENT_ROW_BYTES})::float8 as row_bytes
      from email_attachments a where m.size is null and a.team_id = e.team_id and a.email_id = e.id) a on true
    ${JOIN_RECIPIENT}`)
  const found = await broadcasts.find(emails)
  return emails.map((email) => ({ ...email, broadcast: (email.broadcastId && found.get(email.broadcastId)) || null }))
}

/** What is told of emails, without what it takes to send them. */
export const loadHeads = (db: Queryable, rows: readonly Pick<Claimed, 'team' | 'emailId'>[]): Promise<Email[]> =>
  db.query(sql`
    select ${BOUNDED_COLUMNS} from ${wanted(rows.map(({ team, emailId }) => ({ team, id: emailId })))} join emails e using (team_id, id) ${HEAD}`)

/** The keys of emails as a table, each once. */
export const wanted = (emails: readonly { team: string; id: string }[]): Sql => sql`
  (select distinct team as team_id, id from ${rowsOf(emails, { team: 'uuid', id: 'uuid' })}) wanted`

/** Of scheduled mail whose time has come, what waits for the answer of a policy (`approvals/judge-scheduled.ts`). */
export async function findUnjudged(db: Queryable, emails: readonly Email[]): Promise<ReadonlySet<string>> {
  const unjudged = await db.query<{ id: string }>(sql`
    select e.id from ${wanted(emails)} join emails e using (team_id, id)
    where ${isToBeJudged({ team: sql`e.team_id`, email: sql`e.id`, key: sql`e.api_key_id` })}`)
  return new Set(unjudged.map(({ id }) => id))
}

/**
 * Scheduled mail whose time has come is sent like any other, or fails because its key is gone; from here on it cannot be canceled.
 * Batches of its recipients may be taken up at the same time, here and elsewhere, while somebody deletes the key: so the first one
 * decides for all, and its decision is the status. What it begins is recorded in the same statement. Returns what is not to be sent.
 */
export async function beginScheduled(
  db: Queryable,
  emails: readonly Email[],
): Promise<{ begun: ReadonlySet<string>; disowned: ReadonlySet<string> }> {
  const among = sql`(select team as team_id, id from ${rowsOf(emails, { team: 'uuid', id: 'uuid' })}) due`
  const fates = sql`
    (select team_id, id, case when ${IS_OWNED} then 'sent' else 'failed' end from ${among} join emails e using (team_id, id))`
  const events = emails.map((email) => ({
    team: email.team,
    type: 'email.sent' as const,
    data: emailEventData(email, email.to),
    about: email.id,
    trace: whileRecent(email.traceContext, db.clock.now().getTime() - email.createdAt.getTime()),
  }))
  const decided = await db.query<{ id: string; isBegun: boolean }>(sql`
    with decided as (
      ${updateLastEvents(fates)} and e.last_event = 'scheduled' returning e.id, e.last_event = 'sent' as "isBegun"),
    told as (${insertNewEvents(db.clock, events, sql` where new.about in (select id from decided where "isBegun")`)})
    select * from decided`)
  const begun = new Set(decided.filter(({ isBegun }) => isBegun).map(({ id }) => id))
  if (begun.size === emails.length) return { begun, disowned: new Set() }
  // A statement of its own sees what others have decided in the meantime.
  const disowned = await db.query<{ id: string }>(sql`
    select e.id from ${among} join emails e using (team_id, id) where not ${IS_OWNED} and not ${WAS_BEGUN}`)
  return { begun, disowned: new Set(disowned.map(({ id }) => id).filter((id) => !begun.has(id))) }
}
