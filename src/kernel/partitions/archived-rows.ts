import type { ParquetColumn } from '../../adapters/parquet/parquet.ts'
import { unpackLine } from '../../mail/packed-bodies.ts'
import type { Steps } from '../../mail/steps.ts'
import { inTurns } from '../../platform/concurrency/in-turns.ts'
import { type Database, pooled } from '../db/database.ts'
import { join, raw, type Sql, sql } from '../db/sql.ts'

/** A column of a table, and how its values are written in a line of JSON. */
export interface ArchivedColumn extends ParquetColumn {
  readonly value: Sql
  /** Where in the primary key it is; null: nowhere. */
  readonly keyPosition: number | null
  readonly sqlType: string
}

/** What all types that are not named become. */
const AS_TEXT = { type: 'VARCHAR', value: (column: string) => `${column}::text` } as const

const TYPES: Readonly<Record<string, Pick<ParquetColumn, 'type'> & { value(column: string): string }>> = {
  uuid: { type: 'UUID', value: (column) => column },
  'uuid[]': { type: 'UUID[]', value: (column) => column },
  'text[]': { type: 'VARCHAR[]', value: (column) => column },
  boolean: { type: 'BOOLEAN', value: (column) => column },
  smallint: { type: 'BIGINT', value: (column) => column },
  integer: { type: 'BIGINT', value: (column) => column },
  bigint: { type: 'BIGINT', value: (column) => column },
  'double precision': { type: 'DOUBLE', value: (column) => column },
  date: { type: 'DATE', value: (column) => column },
  bytea: { type: 'BLOB', value: (column) => `encode(${column}, 'hex')` },
  // In UTC: a Parquet file has moments without a zone, and readers differ in what they make of others.
  'timestamp with time zone': {
    type: 'TIMESTAMP',
    value: (column) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`,
  },
}

export async function findColumns(db: Database, table: string): Promise<ArchivedColumn[]> {
  const rows = await pooled(db).query<{ name: string; sqlType: string; keyPosition: number | null }>(sql`
    select a.attname::text as name, format_type(a.atttypid, null) as "sqlType", array_position(k.conkey, a.attnum) as "keyPosition"
    from pg_attribute a join pg_constraint k on k.conrelid = a.attrelid and k.contype = 'p'
    where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`)
  return rows.map(({ name, sqlType, keyPosition }) => {
    const { type, value } = TYPES[sqlType] ?? AS_TEXT
    return { name, type, sqlType, keyPosition, value: raw(`${value(`"${name}"`)} as "${name}"`) }
  })
}

/** The column that the bodies of an email are packed in. */
export const PACKED = 'content'

/** In one page. */
const PAGE_BYTES = 16 * 1024 * 1024

interface SizeClass {
  readonly above: number
  /** Infinite: as large as they are. */
  readonly upTo: number
}

/** Rows of about one size are read together, so many at a time that a page fits into memory. */
export const SIZE_CLASSES: readonly SizeClass[] = [
  { above: -1, upTo: 16 * 1024 },
  { above: 16 * 1024, upTo: 1024 * 1024 },
  { above: 1024 * 1024, upTo: Number.POSITIVE_INFINITY },
]

interface Read {
  readonly partition: string
  readonly columns: readonly ArchivedColumn[]
  readonly sizes: SizeClass
  readonly hasPackedBodies: boolean
}

/** The rows of a partition that are of one size, as lines of JSON, in pages. Memory is bounded by a page, or by the largest row. */
export async function* readLines(
  db: Database,
  { partition, columns, sizes, hasPackedBodies }: Read,
): AsyncGenerator<readonly string[]> {
  const key = columns.filter((column) => column.keyPosition !== null).sort((a, b) => a.keyPosition! - b.keyPosition!)
  const size = raw(sizeOf(columns, hasPackedBodies))
  const largest = Number.isFinite(sizes.upTo) ? sizes.upTo : await largestOf(db, { partition, size })
  if (largest <= sizes.above) return
  const which = sql`${size} > ${sizes.above} and ${size} <= ${largest}`
  const limit = Math.max(1, Math.floor(PAGE_BYTES / largest))
  const names = raw(key.map(({ name }) => `"${name}"`).join(', '))
  const values = join(
    columns.map(({ value }) => value),
    ', ',
  )
  for (let last: readonly string[] | null = null; ; ) {
    const after: Sql = last
      ? sql`and (${names}) > (${join(
          last.map((value, index) => sql`${value}::text::${raw(key[index]!.sqlType)}`),
          ', ',
        )})`
      : sql``
    const rows: { line: string; key: string[] }[] = await db.queryPooled(sql`
      select row_to_json(page)::text as line, "row key" as key from (
        select ${raw(`array[${key.map(({ name }) => `"${name}"::text`).join(', ')}]`)} as "row key", * from ${raw(partition)}
        where ${which} ${after} order by ${names} limit ${limit}) chosen
      cross join lateral (select ${values}) page`)
    const lines = rows.map(({ line }) => line)
    if (rows.length > 0) yield hasPackedBodies ? await inTurns(unpackedLines(lines)) : lines
    if (rows.length < limit) return
    last = rows.at(-1)!.key
  }
}

/** The bytes of what can be long. The length of a value that is stored elsewhere is known without fetching it. */
function sizeOf(columns: readonly ArchivedColumn[], hasPackedBodies: boolean): string {
  const sizes = columns.flatMap(({ name, sqlType }) => {
    if (hasPackedBodies && name === PACKED)
      return [1, 4].map((place) => `coalesce(packed_bytes("${name}", ${place}), 0)`)
    if (sqlType === 'text' || sqlType === 'bytea') return [`coalesce(octet_length("${name}"), 0)`]
    return sqlType === 'json' || sqlType === 'jsonb' ? [`coalesce(pg_column_size("${name}"), 0)`] : []
  })
  return sizes.length > 0 ? `(${sizes.join(' + ')})` : '0'
}

async function largestOf(db: Database, { partition, size }: { partition: string; size: Sql }): Promise<number> {
  const [row] = await db.queryPooled<{ largest: number | null }>(sql`
    select max(${size})::float8 as largest from ${raw(partition)}`)
  return row!.largest ?? 0
}

function* unpackedLines(lines: readonly string[]): Steps<string[]> {
  const all: string[] = []
  for (const line of lines) {
    all.push(unpackLine(line, 'hex'))
    yield
  }
  return all
}
