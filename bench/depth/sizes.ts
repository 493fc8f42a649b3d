import { raw, sql } from '../../src/kernel/db/sql.ts'
import { note } from '../progress.ts'
import type { Row } from '../report.ts'
import { type Outside, send, startStage } from './stage.ts'

const EMAILS = 20_000
const MIN_SHOWN_BYTES = 4

/** Bytes of a table with all its partitions: rows, what is kept apart from them (TOAST), and each index. */
interface TableSize {
  readonly table: string
  readonly rows: number
  readonly toast: number
  readonly indexes: Readonly<Record<string, number>>
}

/** These go when their time is up; the rest stays as long as the email does. */
const FOR_A_WHILE = new Set(['outbox', 'webhook_deliveries', 'webhook_attempts', 'request_logs', 'idempotency_keys'])

/** Sends emails of 2 kB as applications do, waits until all is settled, and looks at what the files have grown by. */
export async function bytesOfEmail(outside: Outside): Promise<Row[]> {
  const stage = await startStage('bytes', outside)
  const { db } = stage.database
  await send(stage, 100)
  await db.queryPooled(raw('vacuum analyze'))
  const before = await sizesOf(db)
  await send(stage, EMAILS, { from: 100 })
  await db.queryPooled(raw('vacuum analyze'))
  const after = await sizesOf(db)
  await stage.stop()

  const grown = difference(before, after)
    .map((size) => each(size, EMAILS))
    .filter((size) => totalOf(size) >= MIN_SHOWN_BYTES)
    .sort((one, other) => totalOf(other) - totalOf(one))
  for (const line of asLines(grown)) note(line)
  const sum = (sizes: readonly TableSize[]) => sizes.reduce((bytes, size) => bytes + totalOf(size), 0) / 1_000
  const all = sum(grown)
  const forEver = sum(grown.filter(({ table }) => !FOR_A_WHILE.has(table)))
  const row = { baseline: null, unit: 'kB', wanted: 'at most' } as const
  return [
    {
      ...row,
      what: 'on disk for an email of 2 kB, all settled, with one webhook',
      ours: `${all.toFixed(2)} kB`,
      figure: all,
      must: 4,
      dream: 3,
    },
    {
      ...row,
      what: '– of it as long as the email is kept (not events, webhook deliveries, logs)',
      ours: `${forEver.toFixed(2)} kB`,
      figure: forEver,
      must: null,
      dream: null,
    },
  ]
}

type Queries = { queryPooled: Awaited<ReturnType<typeof startStage>>['database']['db']['queryPooled'] }

async function sizesOf(db: Queries): Promise<TableSize[]> {
  const rows = await db.queryPooled<{ table: string; part: string; bytes: number }>(sql`
    with leaves as (
      select c.oid, coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as table, c.reltoastrelid as toast
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r')
    select "table", 'rows' as part, pg_relation_size(oid)::float8 as bytes from leaves
    union all
    select "table", 'toast', pg_total_relation_size(toast)::float8 from leaves where toast <> 0
    union all
    select "table", coalesce(pg_partition_root(i.indexrelid), i.indexrelid)::regclass::text, pg_relation_size(i.indexrelid)::float8
    from leaves join pg_index i on i.indrelid = leaves.oid`)
  const tables = new Map<string, { rows: number; toast: number; indexes: Record<string, number> }>()
  for (const { table, part, bytes } of rows) {
    const size = tables.get(table) ?? { rows: 0, toast: 0, indexes: {} }
    tables.set(table, size)
    if (part === 'rows') size.rows += bytes
    else if (part === 'toast') size.toast += bytes
    else size.indexes[part] = (size.indexes[part] ?? 0) + bytes
  }
  return Array.from(tables, ([table, size]) => ({ table, ...size }))
}

function difference(before: readonly TableSize[], after: readonly TableSize[]): TableSize[] {
  return after.map((size) => {
    const old = before.find(({ table }) => table === size.table)
    const indexes = Object.fromEntries(
      Object.entries(size.indexes).map(([name, bytes]) => [name, bytes - (old?.indexes[name] ?? 0)]),
    )
    return { table: size.table, rows: size.rows - (old?.rows ?? 0), toast: size.toast - (old?.toast ?? 0), indexes }
  })
}

const each = ({ table, rows, toast, indexes }: TableSize, emails: number): TableSize => ({
  table,
  rows: rows / emails,
  toast: toast / emails,
  indexes: Object.fromEntries(Object.entries(indexes).map(([name, bytes]) => [name, bytes / emails])),
})

const totalOf = ({ rows, toast, indexes }: TableSize) =>
  rows + toast + Object.values(indexes).reduce((sum, bytes) => sum + bytes, 0)

function asLines(sizes: readonly TableSize[]): string[] {
  const bytes = (value: number) => `${Math.round(value).toLocaleString('en')} B`.padStart(9)
  return [
    'bytes for each email:',
    ...sizes.flatMap((size) => [
      `${bytes(totalOf(size))}  ${size.table}`,
      ...[['rows', size.rows] as const, ['toast', size.toast] as const, ...Object.entries(size.indexes)]
        .filter(([, value]) => value >= MIN_SHOWN_BYTES)
        .map(([name, value]) => `${bytes(value)}      ${name}`),
    ]),
  ]
}
