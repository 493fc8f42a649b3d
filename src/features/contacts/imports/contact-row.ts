import type { Static } from 'typebox'
import { columnType } from '../../../kernel/http/columns.ts'
import { fits } from '../../../kernel/http/validate.ts'
import { LONGEST_VALUE } from '../../contact-properties/schema.ts'
import { ContactFields } from '../schema.ts'
import { CONTACT_COLUMNS, type ImportPlan } from './schema.ts'

type Fields = Required<Static<typeof ContactFields>>

/** A record of the file as a contact. Null means that the file says nothing about a field. */
export type ContactRow = { readonly [Name in keyof Fields]: Fields[Name] | null } & {
  readonly email: string
  readonly properties: Readonly<Record<string, string | number>>
}

const BOOLEANS = new Map([
  ...['true', 'yes', '1'].map((word) => [word, true] as const),
  ...['false', 'no', '0'].map((word) => [word, false] as const),
])

/** The text of a cell as a value; undefined when it is none of that type. */
const READ: Partial<Record<ReturnType<typeof columnType>, (text: string) => unknown>> = {
  text: (text) => text,
  boolean: (text) => BOOLEANS.get(text.toLowerCase()),
  float8: Number,
  bigint: Number,
}

const READERS = CONTACT_COLUMNS.map((name) => {
  const field = ContactFields.properties[name]
  return { name, field, read: READ[columnType(field)] }
})

const SILENT = Object.fromEntries(CONTACT_COLUMNS.map((name) => [name, null]))

/** Null when the record is no contact: no address, or a value that does not fit its column. */
export function readContact(values: readonly string[] | null, plan: ImportPlan): ContactRow | null {
  if (values === null || values.some((value) => value.includes('\0'))) return null
  const cell = (column: number | undefined) => (column === undefined ? '' : (values[column]?.trim() ?? ''))
  const properties: Record<string, string | number> = {}
  const contact: Record<string, unknown> = { ...SILENT, properties }
  for (const { name, field, read } of READERS) {
    const text = cell(plan.columns[name])
    if (text === '') continue
    contact[name] = read?.(text)
    if (!fits(field, contact[name])) return null
  }
  if (contact.email === null) return null
  for (const { id, type, column } of plan.properties) {
    const text = cell(column)
    if (text === '') continue
    const value = type === 'number' ? Number(text) : text
    if (typeof value === 'number' && !Number.isFinite(value)) return null
    if (text.length > LONGEST_VALUE) return null
    properties[id] = value
  }
  return contact as unknown as ContactRow
}
