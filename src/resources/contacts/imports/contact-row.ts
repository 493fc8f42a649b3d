import type { Static } from 'typebox'
import { columnType } from '../../../http/columns.ts'
import { matches } from '../../../http/validate.ts'
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

/** Null when the record is no contact: no address, or a value that does not fit its column. */
export function readContact(values: readonly string[] | null, plan: ImportPlan): ContactRow | null {
  if (values === null || values.some((value) => value.includes('\0'))) return null
  const cell = (column: number | undefined) => (column === undefined ? '' : (values[column]?.trim() ?? ''))
  const contact: Record<string, unknown> = {}
  for (const name of CONTACT_COLUMNS) {
    const field = ContactFields.properties[name]
    const text = cell(plan.columns[name])
    contact[name] = text === '' ? null : READ[columnType(field)]?.(text)
    if (text !== '' && matches(field, contact[name]) !== null) return null
  }
  if (contact.email === null) return null
  const properties: Record<string, string | number> = {}
  for (const { id, type, column } of plan.properties) {
    const text = cell(column)
    if (text === '') continue
    const value = type === 'number' ? Number(text) : text
    if (typeof value === 'number' && !Number.isFinite(value)) return null
    if (text.length > LONGEST_VALUE) return null
    properties[id] = value
  }
  return { ...(contact as unknown as ContactRow), properties }
}
