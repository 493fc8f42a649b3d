import type { Static } from 'typebox'
import { columnType } from '../../../kernel/http/columns.ts'
import { fits } from '../../../kernel/http/validate.ts'
import { MAX_VALUE_LENGTH } from '../../contact-properties/schema.ts'
import { SUBSCRIPTIONS } from '../../topics/schema.ts'
import { ContactFields } from '../schema.ts'
import { CONTACT_COLUMNS, type ContactColumn, type ImportPlan } from './schema.ts'

type Fields = Required<Static<typeof ContactFields>>

/** A record of the file as a contact. Null means that the file says nothing about a field. */
export type ContactRow = { readonly [Name in keyof Fields]: Fields[Name] | null } & {
  readonly email: string
  readonly properties: Readonly<Record<string, string | number>>
  readonly created_at?: Date
  /** Names or ids as the file has them, and ids once they are known. */
  readonly segments?: readonly string[]
  readonly topics?: readonly { readonly topic: string; readonly subscription: Subscription }[]
}

type Subscription = (typeof SUBSCRIPTIONS)[number]

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

/** Why a record failed, and the index of the invalid column; null: the whole record. */
export interface RowProblem {
  readonly column: number | null
  readonly reason: string
}

type ReadRow = { readonly contact: ContactRow } | { readonly problem: RowProblem }

/** A record as a contact, or why it failed: no address, or a value that is invalid for its column. */
export function readContact(values: readonly string[] | null, plan: ImportPlan): ReadRow {
  if (values === null) return refused(null, 'The row could not be read. A quote may be missing.')
  const broken = values.findIndex((value) => value.includes('\0'))
  if (broken >= 0) return refused(broken, 'The value contains a null character.')
  const cell = (column: number | undefined) => (column === undefined ? '' : (values[column]?.trim() ?? ''))
  const properties: Record<string, string | number> = {}
  const contact: Record<string, unknown> = { ...SILENT, properties }
  for (const { name, field, read } of READERS) {
    const text = cell(plan.columns[name])
    if (text === '') continue
    contact[name] = read?.(text)
    if (!fits(field, contact[name])) return refused(plan.columns[name]!, REASONS[name])
  }
  if (contact.email === null) return refused(plan.columns.email ?? null, 'The email address is missing.')
  for (const { id, type, column } of plan.properties) {
    const text = cell(column)
    if (text === '') continue
    const value = type === 'number' ? Number(text) : text
    if (typeof value === 'number' && !Number.isFinite(value)) return refused(column, 'Not a number.')
    if (text.length > MAX_VALUE_LENGTH) return refused(column, `Longer than ${MAX_VALUE_LENGTH} characters.`)
    properties[id] = value
  }
  const { created_at, segments, topics } = plan.rowColumns ?? {}
  const since = cell(created_at)
  if (since !== '') {
    const moment = new Date(since)
    if (Number.isNaN(moment.getTime())) return refused(created_at!, 'Not a date.')
    contact.created_at = moment
  }
  if (cell(segments) !== '') contact.segments = partsOf(cell(segments))
  if (cell(topics) !== '') contact.topics = partsOf(cell(topics)).map(choiceOf)
  return { contact: contact as unknown as ContactRow }
}

/** `Readers; Customers` */
export const partsOf = (text: string) =>
  text
    .split(';')
    .map((part) => part.trim())
    .filter(Boolean)

/** `News=opt_out`; a topic alone is one that the contact has subscribed to. */
export function choiceOf(part: string): { topic: string; subscription: Subscription } {
  const subscription = SUBSCRIPTIONS.find((one) => part.endsWith(`=${one}`))
  return subscription
    ? { topic: part.slice(0, -subscription.length - 1).trim(), subscription }
    : { topic: part, subscription: 'opt_in' }
}

const refused = (column: number | null, reason: string): ReadRow => ({ problem: { column, reason } })

const REASONS: Readonly<Record<ContactColumn, string>> = {
  email: 'Not a valid email address.',
  first_name: 'Too long for a first name.',
  last_name: 'Too long for a last name.',
  unsubscribed: 'Must be true or false.',
}
