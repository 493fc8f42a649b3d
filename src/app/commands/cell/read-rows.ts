import { copyLines } from '../../../kernel/db/copy.ts'
import type { Kind } from '../export/catalogue.ts'
import { packedColumns, unpackedLine } from '../export/packed-lines.ts'
import type { Scope } from '../export/scope.ts'
import type { Side } from './side.ts'

/** Rows to a transaction of the other cell. */
const BATCH_LINES = 1_000
const BATCH_BYTES = 1024 * 1024

/**
 * Rows that a snapshot may not have shown, by the transaction that wrote them: all that were not over when it was taken. Some of them it has
 * shown; none is missing. The numbers of transactions in rows have 32 bits, so ages are compared, not numbers.
 */
export function writtenAfter(snapshot: string): string {
  const oldest = BigInt(snapshot.split(':', 1)[0]!) & 0xffff_ffffn
  return `age(xmin) <= age('${oldest}'::xid)`
}

/** Exactly those, as far as PostgreSQL tells: it does not know of transactions within transactions. Where nobody writes it finds none. */
export function notSeenBy(snapshot: string): string {
  const oldest = BigInt(snapshot.split(':', 1)[0]!)
  const number = `(${oldest} + age('${oldest & 0xffff_ffffn}'::xid) - age(xmin))::text::xid8`
  return `(${writtenAfter(snapshot)} and not pg_visible_in_snapshot(${number}, '${snapshot}'))`
}

/** So long ago that ages say nothing any more: everything is copied again. */
const MAX_AGE = 1n << 30n

/** A snapshot to read in, until `end` is called. */
export async function beginSnapshot({ client }: Side): Promise<string> {
  await client.query('begin transaction isolation level repeatable read, read only')
  const { rows } = await client.query('select pg_current_snapshot()::text as snapshot')
  return rows[0].snapshot
}

export const isTooOld = (before: string, now: string) =>
  BigInt(now.split(':')[1]!) - BigInt(before.split(':', 1)[0]!) > MAX_AGE

export const countRows = async ({ client }: Side, kind: Kind, condition: string): Promise<number> =>
  Number((await client.query(`select count(*) as rows from ${kind.name} where ${condition}`)).rows[0].rows)

/** Rows as lines of JSON, in batches. */
export async function* readBatches(
  { client }: Side,
  kind: Kind,
  { scope, condition = 'true' }: { scope: Scope; condition?: string },
): AsyncGenerator<string[]> {
  let lines: string[] = []
  let bytes = 0
  for await (const some of copyLines(client, selectLines(kind, `${scope.conditionOf(kind)} and ${condition}`)))
    for (const line of some) {
      lines.push(unpackedLine(kind, line.subarray(0, -1).toString('utf8')))
      bytes += line.length
      if (lines.length < BATCH_LINES && bytes < BATCH_BYTES) continue
      yield lines
      lines = []
      bytes = 0
    }
  if (lines.length > 0) yield lines
}

function selectLines(kind: Kind, condition: string): string {
  const { name, columns, isPending } = kind
  const values = columns.map((column) =>
    column.type === 'bytea'
      ? `translate(encode("${column.name}", 'base64'), e'\\n', '') as "${column.name}"`
      : `"${column.name}"`,
  )
  const hasJson = columns.some(({ type }) => type === 'json')
  const line = hasJson ? `translate(row_to_json(r)::text, e'\\n\\r', '  ')` : 'row_to_json(r)::text'
  // Automations take events in the order of their acceptance.
  const order = name === 'automation_events' ? 'order by seq' : isPending ? 'order by event_id' : ''
  return `select ${line} from (select ${[...values, ...packedColumns(kind)].join(', ')} from ${name} where ${condition} ${order}) r`
}

/** The keys of all rows, as arrays of text in JSON. */
export async function* readKeys(side: Side, kind: Kind, scope: Scope): AsyncGenerator<string[]> {
  const key = `json_build_array(${kind.primaryKey.map((name) => `"${name}"::text`).join(', ')})::text`
  for await (const lines of copyLines(side.client, `select ${key} from ${kind.name} where ${scope.conditionOf(kind)}`))
    yield lines.map((line) => line.subarray(0, -1).toString('utf8'))
}
