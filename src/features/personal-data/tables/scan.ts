import type { Database } from '../../../kernel/db/database.ts'
import { join, raw, type Sql, sql } from '../../../kernel/db/sql.ts'
import type { AddressPattern } from '../../../mail/address-pattern.ts'
import { unpackBodies } from '../../../mail/packed-bodies.ts'
import type { Steps } from '../../../mail/steps.ts'
import { inTurns } from '../../../platform/concurrency/in-turns.ts'
import type { Column, SearchedTable } from './catalogue.ts'

/** The values of a primary key, as text. */
export type Key = readonly string[]

export interface Slice {
  /** Keys of rows in which the address may stand. */
  readonly hits: readonly Key[]
  readonly rows: number
  /** The last row that was looked at. */
  readonly last: Key
}

// A slice takes about so long. Bodies can be megabytes, and most tables have rows of a hundred bytes.
const SLICE_MS = 250
const FIRST_ROWS = 200
const MAX_ROWS = 10_000
/** What is packed comes over here to be searched. */
const MAX_PACKED_ROWS = 1_000

/** Goes through a table in the order of its key. Nothing is locked and no snapshot stays open between two slices. */
export async function* slicesOf(
  db: Database,
  table: SearchedTable,
  { pattern, team, after }: { pattern: AddressPattern; team: string | null; after: Key | null },
): AsyncGenerator<Slice> {
  const most = table.hasPackedBodies ? MAX_PACKED_ROWS : MAX_ROWS
  let limit = FIRST_ROWS
  for (let reached = after; ; ) {
    const begin = performance.now()
    const slice = await readSlice(db, table, { isHit: isNamedIn(table, pattern), pattern, team, after: reached, limit })
    if (slice.rows > 0) yield slice
    if (slice.rows < limit) return
    reached = slice.last
    const tookMs = performance.now() - begin
    limit = Math.min(most, Math.max(1, Math.round(limit * Math.min(4, SLICE_MS / Math.max(tookMs, 1)))))
  }
}

const quoted = (name: string) => raw(`"${name}"`)
const listed = (columns: readonly Column[], of: (column: Column) => Sql) => join(columns.map(of), ', ')

interface Look {
  readonly isHit: Sql
  /** For what only we can read. */
  readonly pattern?: AddressPattern | null
  readonly team: string | null
  readonly after: Key | null
  readonly limit: number
}

export async function readSlice(
  db: Database,
  { name, key, hasTeam, hasPackedBodies }: SearchedTable,
  { isHit, pattern = null, team, after, limit }: Look,
): Promise<Slice> {
  const names = listed(key, (column) => quoted(column.name))
  const behind = after
    ? sql`(${names}) > (${join(
        key.map(({ type }, index) => sql`${after[index]}::text::${raw(type)}`),
        ', ',
      )})`
    : sql`true`
  const packed = hasPackedBodies ? pattern : null
  const rows = await db.queryPooled<{ key: string[]; hit: boolean; content: Buffer | null; rows: number }>(sql`
    with slice as materialized (
      select row_number() over (order by ${names}) as place, array[${listed(key, (column) => sql`${quoted(column.name)}::text`)}] as key, ${isHit} as hit,
        ${packed ? sql`content` : sql`null::bytea as content`}
      from (
        select * from ${raw(name)} where ${behind} ${hasTeam && team !== null ? sql`and team_id = ${team}` : sql``}
        order by ${names} limit ${limit}) piece)
    select key, hit, content, place::int as rows from slice
    where hit or content is not null or place = (select max(place) from slice) order by place`)
  const last = rows.at(-1)
  return {
    hits: packed ? await inTurns(hitsAmong(rows, packed)) : rows.filter(({ hit }) => hit).map((row) => row.key),
    rows: last?.rows ?? 0,
    last: last?.key ?? [],
  }
}

function* hitsAmong(
  rows: readonly { key: Key; hit: boolean; content: Buffer | null }[],
  pattern: AddressPattern,
): Steps<Key[]> {
  const hits: Key[] = []
  for (const { key, hit, content } of rows) {
    if (hit || (content && pattern.isIn(textIn(content)))) hits.push(key)
    yield
  }
  return hits
}

function textIn(content: Buffer): string {
  const { html, text } = unpackBodies(content)
  return `${html ?? ''}\n${text ?? ''}`
}

function isNamedIn({ columns }: SearchedTable, pattern: AddressPattern): Sql {
  const named = columns.map(({ name, type }) => {
    const text = type === 'bytea' ? sql`encode(${quoted(name)}, 'escape')` : sql`${quoted(name)}::text`
    return sql`coalesce(${text} ~* ${pattern.source}, false)`
  })
  return sql`(${join(named, ' or ')})`
}

/** The condition that a row has this key. */
export const hasKey = ({ key }: SearchedTable, values: Key): Sql =>
  join(
    key.map(({ name, type }, index) => sql`${quoted(name)} = ${values[index]}::text::${raw(type)}`),
    ' and ',
  )

export type Row = Readonly<Record<string, string | Buffer | readonly string[] | null>>

/** The searched columns of a row, and its key: JSON and vectors as text. */
export async function readRow(
  db: Pick<Database, 'query'>,
  table: SearchedTable,
  { key, lock = false, more = [] }: { key: Key; lock?: boolean; more?: readonly string[] },
): Promise<Row | undefined> {
  const asText = ({ name, type }: Column) =>
    ['bytea', 'text[]'].includes(type) ? quoted(name) : sql`${quoted(name)}::text as ${quoted(name)}`
  const packed = table.hasPackedBodies ? [sql`content`] : []
  const others = more.map((name) => sql`${quoted(name)}::text as ${quoted(name)}`)
  const columns = [...table.columns.filter(({ name }) => !more.includes(name)).map(asText), ...others, ...packed]
  const [row] = await db.query<Row>(sql`
    select ${join(columns, ', ')} from ${raw(table.name)} where ${hasKey(table, key)} ${lock ? sql`for update` : sql``}`)
  if (!row || !table.hasPackedBodies) return row
  const { content, ...rest } = row
  return content ? { ...rest, ...unpackBodies(content as Buffer) } : rest
}
