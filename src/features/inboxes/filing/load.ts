import type { Queryable } from '../../../kernel/db/database.ts'
import { keyOf, type Sql, sql } from '../../../kernel/db/sql.ts'
import { ownMessageId, referencesOf } from '../../../mail/message-ids.ts'
import { readDate } from '../../../mail/parse/date.ts'
import { isRelayedMessageId } from '../../../mail/relayed-message-id.ts'
import { roughText } from '../../../mail/rough-text.ts'
import { outlookConversation } from '../../../mail/thread-index.ts'
import {
  allUnpacked,
  attachmentsOf,
  EMAILS_WITH_BODIES,
  findRelayedIds,
  type StoredBodies,
} from '../../emails/reads.ts'
import { RECEIVED_WITH_BODIES, receivedAttachmentsOf } from '../../inbound/reads.ts'
import type { FiledMessage, MessageFile } from './message.ts'

/** Of a text, in characters: as much as is searched. */
const MAX_TEXT_LENGTH = 100_000
/** Of html: newsletters of 100 kB have 10 kB of text. */
const MAX_HTML_LENGTH = 300_000
/** No mail was sent before, but some machines begin to count in 1970. */
const FIRST_DATE = new Date('1990-01-01T00:00:00Z')

/** An email, received or sent, on its way into one inbox or several. */
export type Mail = Omit<FiledMessage, 'team' | 'inbox'>

interface Row {
  readonly id: string
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[] | null
  readonly bcc: readonly string[] | null
  readonly replyTo: readonly string[] | null
  readonly subject: string | null
  readonly messageId: string | null
  readonly headers: readonly { readonly name: string; readonly value: string }[] | null
  readonly files: readonly (MessageFile & { readonly content_id: string | null })[]
  readonly text: string | null
  readonly html: string | null
  readonly createdAt: Date
}

/** Those that have been received. */
export const loadReceived = async (db: Queryable, team: string, ids: readonly string[]): Promise<Mail[]> => {
  const mails = await load(
    db,
    'inbound',
    sql`
    select e.id, e."from", e."to", e.cc, e.bcc, e.reply_to as "replyTo", e.subject, e.message_id as "messageId", e.created_at as "createdAt", 
      ${contentOf(sql`b.headers`, receivedAttachmentsOf(keyOf('e')))}, null::bytea as content
    from ${RECEIVED_WITH_BODIES}
    where e.team_id = ${team} and e.id = any (${ids}::uuid[])`,
  )
  return withOurIds(db, team, mails)
}

/** Who answers mail that went through a relay may name it by an id that the relay has put in the place of ours. */
async function withOurIds(db: Queryable, team: string, mails: readonly Mail[]): Promise<Mail[]> {
  const relayed = mails.flatMap(({ references }) => references.filter(isRelayedMessageId)).map((id) => id.toLowerCase())
  if (relayed.length === 0) return [...mails]
  const rows = await findRelayedIds(db, team, relayed)
  const ours = new Map(rows.map((row) => [row.relayed, ownMessageId(row.ours)]))
  return mails.map((mail) => ({ ...mail, references: mail.references.map((id) => ours.get(id.toLowerCase()) ?? id) }))
}

/** Those that were sent. One that was scheduled is of the time when it left. */
export const loadSent = (db: Queryable, team: string, ids: readonly string[]): Promise<Mail[]> =>
  load(
    db,
    'outbound',
    sql`
    select e.id, e."from", e."to", e.cc, e.bcc, e.reply_to as "replyTo", e.subject, e.message_id as "messageId",
      greatest(e.created_at, e.scheduled_at) as "createdAt",
      ${contentOf(sql`e.headers`, attachmentsOf(keyOf('e')))}, b.content
    from ${EMAILS_WITH_BODIES}
    where e.team_id = ${team} and e.id = any (${ids}::uuid[])`,
  )

/** Html is read where there is no text, or where it may show some of the files. */
const contentOf = (headers: Sql, files: Sql): Sql => sql`
      (select json_agg(h) from jsonb_array_elements(${headers}) h
        where lower(h ->> 'name') in ('references', 'in-reply-to', 'date', 'thread-index', 'thread-topic')) as headers,
      coalesce((
        select json_agg(json_build_object('id', a.id, 'filename', a.filename, 'size', a.size, 'content_type', a.content_type,
          'content_id', a.content_id) order by a.id) from ${files}), '[]') as files,
      left(b.text, ${MAX_TEXT_LENGTH}::int) as text,
      case when coalesce(left(b.text, 1000), '') !~ '\\S' or exists (select from ${files} and a.content_id is not null)
        then left(b.html, ${MAX_HTML_LENGTH}::int) end as html`

async function load(db: Queryable, direction: Mail['direction'], statement: Sql): Promise<Mail[]> {
  const rows = await allUnpacked(await db.query<Row & StoredBodies>(statement))
  return rows.map((row) => mailOf(row, direction))
}

function mailOf(row: Row, direction: Mail['direction']): Mail {
  const valuesOf = (wanted: string) =>
    (row.headers ?? []).filter(({ name }) => name.toLowerCase() === wanted).map(({ value }) => value)
  return {
    id: row.id,
    direction,
    from: row.from,
    to: row.to,
    cc: row.cc ?? [],
    bcc: row.bcc ?? [],
    replyTo: row.replyTo ?? [],
    subject: row.subject,
    messageId: ownMessageId(row.messageId),
    references: referencesOf(valuesOf('references'), valuesOf('in-reply-to')),
    conversation: outlookConversation(valuesOf('thread-index')[0], valuesOf('thread-topic')[0]),
    attachments: filesOf(row),
    text: row.text?.trim() ? row.text : roughText(row.html ?? '').slice(0, MAX_TEXT_LENGTH),
    sentAt: direction === 'inbound' ? sentAt(valuesOf('date')[0], row.createdAt) : row.createdAt,
    createdAt: row.createdAt,
  }
}

/** What its Date says. Nobody can put a message behind the moment when it came. */
function sentAt(date: string | undefined, createdAt: Date): Date {
  const written = date === undefined ? null : readDate(date)
  return written && written >= FIRST_DATE && written < createdAt ? written : createdAt
}

/** The images that the html shows are part of it, and no attachments. */
function filesOf({ files, html }: Row): MessageFile[] {
  const shown = new Set([...(html ?? '').matchAll(SHOWN_IMAGE)].map(([, id]) => readable(id!)))
  const isShown = ({ content_id, content_type }: Row['files'][number]) =>
    content_id !== null && /^image\//i.test(content_type) && shown.has(content_id.toLowerCase())
  return files
    .filter((file) => !isShown(file))
    .map(({ id, filename, size, content_type }) => ({ id, filename, size, content_type }))
}

const SHOWN_IMAGE = /cid:([^"'\s)<>]{1,250})/gi

function readable(id: string): string {
  try {
    return decodeURIComponent(id).toLowerCase()
  } catch {
    return id.toLowerCase()
  }
}
