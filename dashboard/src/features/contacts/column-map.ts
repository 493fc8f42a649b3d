import { CONTACT_COLUMNS } from '../../../../src/features/contacts/imports/schema.ts'
import type { Item } from '../../api.ts'
import { type CsvColumn, guess } from './csv-head.ts'
import { texts } from './texts.ts'

export type Property = Pick<Item<'contact-properties.list'>, 'key' | 'type'>

/** What a column is for: a field of contacts, an existing property, or a new one. */
export type Target = '' | `field:${string}` | `property:${string}` | 'create:string' | 'create:number'

/** A property's key has letters, digits and underscores only. */
export const keyOf = (column: string) => column.trim().toLowerCase().replace(/\W+/g, '_').slice(0, 50)

/** A field by its usual names, a property by its key, ignoring case. Other columns are ignored until the user maps them. */
export function targetOf({ name }: CsvColumn, properties: readonly Property[]): Target {
  const field = guess(name)
  if (field) return `field:${field}`
  const key = keyOf(name)
  const known = properties.find((property) => property.key.toLowerCase() === key)
  return known ? `property:${known.key}` : ''
}

/** The map as the API takes it, or what is wrong with it. */
export function columnMapOf(
  columns: readonly CsvColumn[],
  targets: readonly Target[],
  known: readonly Property[],
): { readonly map: object } | { readonly error: string } {
  const fields: Record<string, string> = {}
  const properties: Record<string, { column: string; type: string }> = {}
  for (const [index, { name }] of columns.entries()) {
    const [kind, value = ''] = (targets[index] ?? '').split(/:(.*)/)
    if (!kind) continue
    const target = kind === 'create' ? keyOf(name) : value
    if (target in (kind === 'field' ? fields : properties))
      return { error: texts.importDialog.errors.duplicate(target) }
    if (kind === 'field') fields[value] = name
    else {
      const type = kind === 'create' ? value : (known.find(({ key }) => key === value)?.type ?? 'string')
      properties[target] = { column: name, type }
    }
  }
  if (fields.email === undefined) return { error: texts.importDialog.errors.noEmail }
  // Columns that are named like a field are taken for it unless the map says otherwise.
  for (const field of CONTACT_COLUMNS) {
    const own = columns.findIndex(({ name }) => name === field)
    if (own >= 0 && targets[own] === '' && fields[field] === undefined)
      return { error: texts.importDialog.errors.alwaysImported(field) }
  }
  return { map: { ...fields, ...(Object.keys(properties).length > 0 && { properties }) } }
}
