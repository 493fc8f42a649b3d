import { isAddress } from '../../../mail/address.ts'
import { LONGEST_VALUE } from '../../contact-properties/schema.ts'
import { LONGEST_NAME } from '../schema.ts'
import type { ImportPlan } from './schema.ts'

/** A record of the file as a contact. Null means that the file says nothing about a field. */
export interface ContactRow {
  readonly email: string
  readonly first_name: string | null
  readonly last_name: string | null
  readonly unsubscribed: boolean | null
  readonly properties: Readonly<Record<string, string | number>>
}

const BOOLEANS = new Map([
  ...['true', 'yes', '1'].map((word) => [word, true] as const),
  ...['false', 'no', '0'].map((word) => [word, false] as const),
])

/** Null when the record is no contact: no address, or a value that does not fit its column. */
export function readContact(values: readonly string[] | null, plan: ImportPlan): ContactRow | null {
  if (values === null || values.some((value) => value.includes('\0'))) return null
  const cell = (column: number | undefined) => (column === undefined ? '' : (values[column]?.trim() ?? ''))
  const email = cell(plan.columns.email)
  const choice = cell(plan.columns.unsubscribed).toLowerCase()
  const properties: Record<string, string | number> = {}
  if ([cell(plan.columns.first_name), cell(plan.columns.last_name)].some(({ length }) => length > LONGEST_NAME))
    return null
  if (!isAddress(email) || (choice !== '' && !BOOLEANS.has(choice))) return null
  for (const { id, type, column } of plan.properties) {
    const text = cell(column)
    if (text === '') continue
    const value = type === 'number' ? Number(text) : text
    if (typeof value === 'number' && !Number.isFinite(value)) return null
    if (text.length > LONGEST_VALUE) return null
    properties[id] = value
  }
  return {
    email,
    first_name: cell(plan.columns.first_name) || null,
    last_name: cell(plan.columns.last_name) || null,
    unsubscribed: BOOLEANS.get(choice) ?? null,
    properties,
  }
}

/** The same address twice among rows that are written together: the later row adds to the earlier, as if written after it. */
export function mergeRows(earlier: ContactRow, later: ContactRow): ContactRow {
  return {
    email: earlier.email,
    first_name: later.first_name ?? earlier.first_name,
    last_name: later.last_name ?? earlier.last_name,
    unsubscribed: later.unsubscribed ?? earlier.unsubscribed,
    properties: { ...earlier.properties, ...later.properties },
  }
}
