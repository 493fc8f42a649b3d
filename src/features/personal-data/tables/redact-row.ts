import type { Transaction } from '../../../kernel/db/database.ts'
import { join, raw, type Sql, sql } from '../../../kernel/db/sql.ts'
import type { AddressPattern } from '../../../mail/address-pattern.ts'
import type { Column, SearchedTable } from './catalogue.ts'
import { hasKey, type Key, type Row, readRow } from './scan.ts'

export type Outcome = 'deleted' | 'redacted' | 'pending' | 'nothing'

/** Columns that are emptied when they name the address: what else they say of the person cannot be told apart. */
const EMPTIED: Readonly<Record<string, readonly string[]>> = {
  inbox_threads: ['assignee_email'],
  request_logs: ['request_body', 'response_body'],
  webhook_attempts: ['response'],
}

/** Columns that go with the address, whether they name it or not. */
const GOING_ALONG: Readonly<Record<string, readonly string[]>> = {
  broadcast_recipients: ['variables'],
}

/** Whether the address stands in one of these columns of a row. */
export const isNamed = (row: Row, columns: readonly string[], pattern: AddressPattern): boolean =>
  columns.some((name) => {
    const value = row[name] ?? null
    if (value === null) return false
    if (Buffer.isBuffer(value)) return pattern.redactBytes(value) !== null
    return pattern.isIn(Array.isArray(value) ? value.join('\n') : (value as string))
  })

/** Replaces the address in all columns of a row. A row that is known by the address, as its key, goes. */
export async function redactRow(
  trx: Transaction,
  table: SearchedTable,
  { key, pattern }: { key: Key; pattern: AddressPattern },
): Promise<Outcome> {
  const row = await readRow(trx, table, { key, lock: true })
  if (!row) return 'nothing'
  if (key.some((one) => pattern.isIn(one))) return deleteRow(trx, table, key)
  const emptied = EMPTIED[table.name] ?? []
  const along = GOING_ALONG[table.name] ?? []
  const changed = table.columns.flatMap((column) => {
    const value = replacementOf(row[column.name] ?? null, column, { pattern, isEmptied: emptied.includes(column.name) })
    return value ? [{ name: column.name, value }] : []
  })
  if (changed.length === 0) return 'nothing'
  const set = [
    ...changed.filter(({ name }) => !along.includes(name)),
    ...along.map((name) => ({ name, value: sql`null` })),
  ].map(({ name, value }) => sql`${raw(`"${name}"`)} = ${value}`)
  // All of what was packed is written again, as it is now.
  if (table.hasPackedBodies)
    for (const { name } of table.columns)
      if (!changed.some((one) => one.name === name)) set.push(sql`${raw(`"${name}"`)} = ${row[name]}`)
  if (table.hasPackedBodies) set.push(sql`content = null`)
  await trx.query(sql.write`
    update ${raw(table.name)} set ${join(set, ', ')} where ${hasKey(table, key)}`)
  return 'redacted'
}

export async function deleteRow(trx: Transaction, table: SearchedTable, key: Key): Promise<Outcome> {
  await trx.query(sql.write`delete from ${raw(table.name)} where ${hasKey(table, key)}`)
  return 'deleted'
}

/** What takes the place of a value; null: it stays. */
function replacementOf(
  value: Row[string] | undefined,
  { name, type }: Column,
  { pattern, isEmptied }: { pattern: AddressPattern; isEmptied: boolean },
): Sql | null {
  if (value === null || value === undefined) return null
  if (Buffer.isBuffer(value)) {
    const masked = pattern.redactBytes(value)
    return masked && sql`${masked}::bytea`
  }
  if (typeof value !== 'string') {
    const items = value as readonly string[]
    return items.some((one) => pattern.isIn(one)) ? sql`${items.map((one) => pattern.redact(one))}::text[]` : null
  }
  if (!pattern.isIn(value)) return null
  if (type === 'tsvector') return withoutLexemes(name, pattern)
  if (isEmptied) return sql`null`
  return sql`${redactText(value, type, pattern)}::text::${raw(type)}`
}

const withoutLexemes = (column: string, pattern: AddressPattern): Sql => sql`
  ts_delete(${raw(`"${column}"`)}, array(
    select word.lexeme from unnest(${raw(`"${column}"`)}) word where word.lexeme ~* ${pattern.source}))`

function redactText(text: string, type: string, pattern: AddressPattern): string {
  // Numbers that JavaScript cannot hold stay as they are written.
  if ((type !== 'json' && type !== 'jsonb') || /\d{16}/.test(text)) return pattern.redact(text)
  const redacted = JSON.stringify(pattern.redactJson(JSON.parse(text)))
  return pattern.redact(redacted)
}
