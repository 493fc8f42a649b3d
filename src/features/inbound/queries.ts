import type { Static } from 'typebox'
import type { Database, Queryable } from '../../kernel/db/database.ts'
import { keyOf, type RowKey, sql } from '../../kernel/db/sql.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { ReceivedEmailItem } from './schema.ts'

const itemColumns = ({ team, id }: RowKey) =>
  columnsOf(ReceivedEmailItem, 'e', {
    message_id: sql`coalesce(e.message_id, '')`,
    attachments: sql`coalesce((
    select json_agg(json_build_object('id', a.id, 'filename', a.filename, 'size', a.size, 'content_type', a.content_type,
      'content_id', a.content_id, 'content_disposition', a.content_disposition) order by a.id)
    from received_attachments a where a.team_id = ${team} and a.received_id = ${id}), '[]')`,
  })

const ITEM_COLUMNS = itemColumns(keyOf('e'))

export const receivedRows = (team: string): Rows => ({
  columns: ITEM_COLUMNS,
  from: sql`received_emails e`,
  where: sql`e.team_id = ${team}`,
  id: sql`e.id`,
  periods: { days: 7 },
})

/** For how long messages that arrived later wait for one that is not read yet. Reading takes some milliseconds. */
const MAX_PARSE_WAIT_MS = 60_000

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * The list: messages with all that is in them, up to the first one that is still being read. Messages are read in any order, and
 * who pages towards newer ones would never see one that turned up behind them; so those that arrived later wait for it. One that
 * cannot be read, or not soon enough, is listed with what its header says, and holds up nobody. The ids have the time in them: what
 * is looked through is what arrived within that minute, in the order of the primary key.
 */
export const listedRows = (team: string, now: Date): Rows => {
  const rows = receivedRows(team)
  return {
    ...rows,
    where: sql`${rows.where} and e.id < coalesce((${unread(team, now)} limit 1), ${LAST_ID}::uuid)`,
  }
}

const unread = (team: string, now: Date) => sql`
  select u.id from received_emails u
  where u.team_id = ${team} and u.id >= ${firstIdAt(new Date(now.getTime() - MAX_PARSE_WAIT_MS), team)} and u.read_at is null
  order by u.id`

/** Those for which the list waits, the oldest first. */
export async function findUnread(db: Queryable, team: string, now: Date, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`${unread(team, now)} limit ${limit}`)
  return rows.map(({ id }) => id)
}

export interface ReceivedRow extends Static<typeof ReceivedEmailItem> {
  readonly received_at: Date
  /** Null: not read yet. */
  readonly headers: readonly { name: string; value: string }[] | null
  /** Of a large message the bodies are read in pieces. */
  readonly html: string | null
  readonly text: string | null
  readonly size: string
}

/** Larger messages may have bodies that take a while to decode, search and write. */
export const MAX_SMALL_BYTES = 256 * 1024
const PIECE_CHARACTERS = 512 * 1024

export async function findReceivedEmail(db: Queryable, team: string, id: string): Promise<ReceivedRow | undefined> {
  const [row] = await db.query<ReceivedRow>(sql`
    select ${itemColumns({ team, id })}, e.created_at as received_at, e.size, b.headers,
      case when e.size <= ${MAX_SMALL_BYTES}::bigint then b.html end as html,
      case when e.size <= ${MAX_SMALL_BYTES}::bigint then b.text end as text
    from received_emails e left join received_bodies b on b.team_id = e.team_id and b.received_id = e.id
    where e.team_id = ${team} and e.id = ${id}`)
  return row
}

/** A piece of a body; empty behind its end, and null where there is none. */
export async function findBodyPiece(
  db: Database,
  { team, id, body, piece }: { team: string; id: string; body: 'html' | 'text'; piece: number },
): Promise<string | null> {
  const column = body === 'html' ? sql`html` : sql`text`
  const [row] = await db.queryPooled<{ piece: string | null }>(sql`
    select substring(${column} from ${piece * PIECE_CHARACTERS + 1}::int for ${PIECE_CHARACTERS}::int) as piece
    from received_bodies where team_id = ${team} and received_id = ${id}`)
  return row?.piece ?? null
}

export interface AttachmentRow {
  readonly id: string
  readonly filename: string | null
  readonly content_type: string
  readonly content_id: string | null
  readonly size: string
  readonly blob: string
}

export const findAttachments = (db: Queryable, team: string, email: string) =>
  db.query<AttachmentRow>(sql`
    select id, filename, content_type, content_id, size, blob from received_attachments
    where team_id = ${team} and received_id = ${email} order by id`)
