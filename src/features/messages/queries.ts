import type { Database, Queryable } from '../../kernel/db/database.ts'
import { anyRowsOf, rowsOf } from '../../kernel/db/rows.ts'
import { join, keyOf, raw, type Sql, sql } from '../../kernel/db/sql.ts'
import { type IdRange as IdPiece, idRangesOf, within } from '../../kernel/http/id-ranges.ts'
import { MAX_SEARCHED_HTML_LENGTH, MAX_SEARCHED_TEXT_LENGTH } from '../../kernel/search/document.ts'
import { JOIN_BROADCAST } from '../broadcasts/reads.ts'
import {
  allUnpacked,
  attachmentsOf,
  bodiesOf,
  bytesOfHtml,
  bytesOfText,
  EMAILS_WITH_BODIES,
  emailsOf,
  HAS_LEFT,
  JOIN_SUBMITTED,
  joinEmail,
  leftOf,
  type StoredBodies,
} from '../emails/reads.ts'
import { joinReceived, receivedAttachmentsOf, receivedBodies, receivedOf } from '../inbound/reads.ts'
import type { Extent, Head, MessageFilter, Words } from './match.ts'
import type { Direction } from './schema.ts'

// A message is a row of `emails` that has left, or one of `received_emails`, with a row of `message_marks` if somebody has marked it.

const SENT = sql`e.team_id as team, 'sent' as direction, e.id, e."from", e."to", coalesce(e.cc, '[]') as cc, coalesce(e.bcc, '[]') as bcc,
  coalesce(e.reply_to, '[]') as reply_to, '[]'::jsonb as received_for, e.subject, e.message_id, e.last_event as status,
  coalesce(e.tags, '[]') as tags, e.created_at`
const RECEIVED = sql`e.team_id as team, 'received' as direction, e.id, e."from", e."to", e.cc, e.bcc, e.reply_to, e.received_for,
  coalesce(e.subject, '') as subject, coalesce(e.message_id, '') as message_id, null as status, '[]'::jsonb as tags, e.created_at`

const MARKED = sql`
  left join lateral (
    select k.is_read, k.labels from message_marks k where k.team_id = m.team and k.message_id = m.id limit 1) k on true`
const HEAD = sql`m.*, coalesce(k.is_read, false) as is_read, coalesce(k.labels, '{}') as labels`

/** A piece of the list: so many messages behind a cursor, of which those are given that may fit. */
export interface Piece {
  readonly cursor: string | null
  readonly isOlder: boolean
  readonly size: PieceSize
}

/** How many messages a piece has: part of the statement's text, since with a limit that could be anything PostgreSQL plans at each call, over all partitions. */
const PIECE_SIZES = [1, 21, 101, 201, 401, 1_000] as const
export type PieceSize = (typeof PIECE_SIZES)[number]
export const MAX_PIECE_SIZE = 1_000

/** The smallest piece that has so many. */
export const pieceOf = (messages: number): PieceSize => PIECE_SIZES.find((size) => size >= messages) ?? MAX_PIECE_SIZE

/**
 * Gives also the last message that was looked at, whether it may fit or not: the next piece begins behind it. None: there is nothing behind
 * the cursor. So a statement looks at no more than one piece, however rare what fits is. It is looked for in few periods first, as pages of a list are.
 */
export async function readPiece(
  db: Queryable,
  team: string,
  filter: MessageFilter,
  { cursor, isOlder, size }: Piece,
): Promise<{ heads: Head[]; last: string | null }> {
  const heads: Head[] = []
  let last: string | null = null
  let seen = 0
  for (const range of idRangesOf({ periods: { days: 7 } }, { cursor, isNewer: !isOlder, team, now: db.clock.now() })) {
    const part = await readWithin(db, team, filter, { cursor, isOlder, size, range, most: size - seen })
    heads.push(...part.heads)
    last = part.last ?? last
    seen += part.seen
    if (seen >= size) break
  }
  return { heads, last }
}

async function readWithin(
  db: Queryable,
  team: string,
  filter: MessageFilter,
  { cursor, isOlder, size, range, most }: Piece & { readonly range: IdPiece; readonly most: number },
): Promise<{ heads: Head[]; last: string | null; seen: number }> {
  const order = isOlder ? sql`desc` : sql`asc`
  const behind = cursor === null ? sql`` : isOlder ? sql`and e.id < ${cursor}` : sql`and e.id > ${cursor}`
  const limit = raw(String(size))
  const part = (columns: Sql, rows: Sql) =>
    sql`(select ${columns} from ${rows} ${behind} ${within(sql`e.id`, range)} order by e.id ${order} limit ${limit})`
  const parts: Sql[] = []
  if (filter.direction !== 'received') parts.push(part(SENT, sql`${emailsOf(team)} and ${HAS_LEFT}`))
  if (filter.direction !== 'sent') parts.push(part(RECEIVED, receivedOf(team)))
  const rows = await db.query<Head & { last: string | null; seen: number }>(sql`
    with piece as materialized (
      select * from (
        select * from (${join(parts, ' union all ')}) m where m.team = ${team} order by m.id ${order} limit ${limit}) m limit ${most}),
    edge as (
      select (select p.id from piece p where p.team = ${team} order by p.id ${isOlder ? sql`asc` : sql`desc`} limit 1) as last,
        (select count(*) from piece p where p.team = ${team})::int as seen)
    select ${HEAD}, edge.last, edge.seen from edge left join piece m on ${mayFit(filter)} ${MARKED} order by m.id ${order}`)
  const { last = null, seen = 0 } = rows[0] ?? {}
  return {
    heads: rows.filter(({ id }) => id !== null).map(({ last: _last, seen: _seen, ...head }) => head),
    ...{ last, seen },
  }
}

/** What is certain to be no fit is not sent over. Only where letters are of ASCII do both sides fold them in the same way. */
function mayFit({ to, from, subject }: MessageFilter): Sql {
  const conditions = [
    ...hasAddress(to, sql`concat(m."to"::text, m.cc::text, m.bcc::text, m.received_for::text)`),
    ...hasAddress(from, sql`m."from"`),
    ...hasPart(subject, sql`m.subject`),
  ]
  return conditions.length === 0 ? sql`true` : join(conditions, ' and ')
}

/** An address that has letters of others may be the one that is wanted, spelled otherwise: `münchen.de` is `xn--mnchen-3ya.de`. */
const hasAddress = (wanted: string | undefined, column: Sql): Sql[] =>
  hasPart(wanted, column).map((has) => sql`(${has} or ${column} ~ '[^ -~][^"<>, ]*@|@[^"<>, ]*[^ -~]')`)

function hasPart(wanted: string | undefined, column: Sql): Sql[] {
  const part = wanted && (/<([^<>]*)>\s*$/.exec(wanted)?.[1] ?? wanted).trim().toLowerCase()
  // What is escaped in JSON, and white space that counts as other white space, is left to who looks closely.
  if (!part || !/^[!#-[\]-~]+$/.test(part)) return []
  return [sql`position(${part} in lower(${column})) > 0`]
}

/** The heads of these messages, in no particular order; those that are gone are left out. */
export const findHeads = (db: Queryable, messages: readonly { readonly team: string; readonly id: string }[]) => {
  const wanted = sql`${rowsOf(messages, { team: 'uuid', id: 'uuid' }, 'wanted')}`
  const key = { team: sql`wanted.team`, id: sql`wanted.id` }
  return db.query<Head>(sql`
    select ${HEAD} from (
      select ${SENT} from ${wanted} ${joinEmail(key)} where ${HAS_LEFT}
      union all
      select ${RECEIVED} from ${wanted} ${joinReceived(key)}) m ${MARKED}`)
}

// Ids as rows, and not as an array: the plan is kept, and is not made anew over all periods for each page.
const wantedOf = (ids: readonly string[]): Sql =>
  anyRowsOf(
    ids.map((id) => ({ id })),
    { id: 'uuid' },
    'wanted',
  )

const sentBodies = (team: string, ids: readonly string[]): Sql =>
  sql`${wantedOf(ids)} join (${EMAILS_WITH_BODIES}) on e.team_id = ${team} and e.id = wanted.id`

interface SearchedRow extends Words {
  readonly id: string
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly tags: readonly { readonly name: string; readonly value: string }[]
  readonly has_attachment: boolean
}

/** Sent messages as they are searched, whether they have left or not. */
export async function findSearched(db: Queryable, team: string, ids: readonly string[]): Promise<SearchedRow[]> {
  const rows = await db.query<SearchedRow & StoredBodies>(sql`
    select e.id, e."from", e."to" || coalesce(e.cc, '[]') || coalesce(e.bcc, '[]') as "to", e.subject, coalesce(e.tags, '[]') as tags,
      left(coalesce(b.text, x.text), ${raw(String(MAX_SEARCHED_TEXT_LENGTH))}) as text,
      case when coalesce(b.text, x.text, '') !~ '\\S'
        then left(coalesce(b.html, x.html), ${raw(String(MAX_SEARCHED_HTML_LENGTH))}) end as html, b.content,
      exists (select from ${attachmentsOf(keyOf('e'))}) as has_attachment
    from ${sentBodies(team, ids)} ${JOIN_BROADCAST}`)
  const most = { text: MAX_SEARCHED_TEXT_LENGTH, html: MAX_SEARCHED_HTML_LENGTH }
  return (await allUnpacked(rows)).map((row) => ({
    ...beginning(row, most),
    ...(row.text?.trim() && { html: null }),
  }))
}

/** The statement has seen to it for what is not packed. */
const beginning = <Row extends Words>(row: Row, { text, html }: { text: number; html: number }): Row => ({
  ...row,
  text: leftOf(row.text, text),
  html: leftOf(row.html, html),
})

/** As much as is searched. Texts of mail are shorter, and html of 200,000 characters has some 20,000 of them. */
const SEARCHED_TEXT = 50_000
const SEARCHED_HTML = 200_000

/** How these messages begin. They are of one team. */
export async function findWords(
  db: Database,
  team: string,
  heads: readonly { readonly id: string; readonly direction: Direction }[],
  { text = SEARCHED_TEXT, html = SEARCHED_HTML } = {},
): Promise<(Words & { id: string })[]> {
  const rows = await db.queryPooled<Words & StoredBodies & { id: string }>(sql`
    select e.id, left(coalesce(b.text, x.text), ${raw(String(text))}) as text, left(coalesce(b.html, x.html), ${raw(String(html))}) as html,
      b.content
    from ${sentBodies(team, idsOf(heads, 'sent'))} ${JOIN_BROADCAST}
    union all
    select b.received_id, left(b.text, ${raw(String(text))}), left(b.html, ${raw(String(html))}), null
    from ${wantedOf(idsOf(heads, 'received'))} cross join lateral (select b.* from ${receivedBodies(team)} and b.received_id = wanted.id) b`)
  return (await allUnpacked(rows)).map((row) => beginning(row, { text, html }))
}

const idsOf = (heads: readonly { readonly id: string; readonly direction: Direction }[], wanted: Direction) =>
  heads.flatMap(({ id, direction }) => (direction === wanted ? [id] : []))

/** How large messages of one team are, about, and how many files they have. */
export const findExtents = (
  db: Queryable,
  team: string,
  heads: readonly { readonly id: string; readonly direction: Direction }[],
) =>
  db.query<Extent & { id: string }>(sql`
    select e.id, a.count::int as attachments, a.inline::int as inline,
      coalesce(s.size, octet_length(e.subject) + ${HEADER_BYTES} + coalesce(${bytesOfHtml()}, octet_length(x.html), 0)
        + coalesce(${bytesOfText()}, octet_length(x.text), 0) + a.bytes * 4 / 3)::float8 as size
    from ${sentBodies(team, idsOf(heads, 'sent'))} ${JOIN_SUBMITTED}
    ${JOIN_BROADCAST}
    cross join lateral (
      select count(*) as count, count(a.content_id) as inline, coalesce(sum(a.size), 0)::bigint as bytes from ${attachmentsOf(keyOf('e'))}) a
    union all
    select e.id, a.count::int, a.inline::int, e.size::float8
    from ${wantedOf(idsOf(heads, 'received'))} cross join lateral (select e.* from ${receivedOf(team)} and e.id = wanted.id) e
    cross join lateral (
      select count(*) as count, count(a.content_id) as inline from ${receivedAttachmentsOf(keyOf('e'))}) a`)

/** What a message has in front of its text. */
const HEADER_BYTES = raw('600')

export interface StoredFile {
  readonly id: string
  readonly filename: string | null
  readonly content_type: string
  readonly content_id: string | null
  readonly size: number
  readonly blob: string
}

export const findFiles = (db: Queryable, { team, id, direction }: Pick<Head, 'team' | 'id' | 'direction'>) =>
  db.query<StoredFile>(
    direction === 'sent'
      ? sql`select a.id, a.filename, a.content_type, a.content_id, a.size::float8 as size, a.blob from ${attachmentsOf({ team, id })}
          order by a.id`
      : sql`select a.id, a.filename, a.content_type, a.content_id, a.size::float8 as size, a.blob
          from ${receivedAttachmentsOf({ team, id })} order by a.id`,
  )

// Some 15 ms to decode. PostgreSQL counts from the beginning for each of them, so not fewer.
const PIECE_CHARACTERS = 4 * 1024 * 1024

/** A piece of a body of a sent one that is too large to be packed; empty behind its end, and null where there is none. */
export async function findBodyPiece(
  db: Database,
  { team, id, body, piece }: { team: string; id: string; body: 'html' | 'text'; piece: number },
): Promise<string | null> {
  const column = body === 'html' ? sql`b.html` : sql`b.text`
  const [row] = await db.queryPooled<{ piece: string | null }>(sql`
    select substring(${column} from ${piece * PIECE_CHARACTERS + 1}::int for ${PIECE_CHARACTERS}::int) as piece
    from ${bodiesOf({ team, id })}`)
  return row?.piece ?? null
}

export interface Marks {
  readonly is_read?: boolean | undefined
  readonly labels?: readonly string[] | undefined
}

/** What is left out stays as it is. */
export const writeMarks = (db: Queryable, team: string, ids: readonly string[], { is_read, labels }: Marks) =>
  db.query(sql.write`
    insert into message_marks as k (team_id, message_id, is_read, labels)
    select ${team}, id, coalesce(${is_read ?? null}::boolean, false), coalesce(${labels ?? null}::text[], '{}')
    from unnest(${ids}::uuid[]) as given (id) order by id
    on conflict (team_id, message_id) do update set
      is_read = coalesce(${is_read ?? null}::boolean, k.is_read), labels = coalesce(${labels ?? null}::text[], k.labels)`)

export const deleteMarks = (db: Queryable, team: string, ids: readonly string[]) =>
  db.query(sql.write`delete from message_marks where team_id = ${team} and message_id = any (${ids}::uuid[])`)

/** Marks of sent or received messages with ids of a range. */
export const deleteMarksIn = (
  db: Queryable,
  team: string,
  { from, to, direction }: { from: string; to: string; direction: Direction },
) => {
  const messages = direction === 'sent' ? emailsOf(sql`k.team_id`) : receivedOf(sql`k.team_id`)
  return db.query(sql.write`
    delete from message_marks k where k.team_id = ${team} and k.message_id >= ${from}::uuid and k.message_id < ${to}::uuid
      and exists (select from ${messages} and e.id = k.message_id)`)
}
