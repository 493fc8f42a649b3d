import type { Static } from 'typebox'
import type { Transaction } from '../../../kernel/db/database.ts'
import { parseShortJson } from '../../../kernel/http/json-reader.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { validate } from '../../../kernel/http/validate.ts'
import { ensureProperties } from '../../contact-properties/index.ts'
import { requireSegments } from '../../segments/index.ts'
import { requireTopics } from '../../topics/index.ts'
import { idsOfSegments } from '../actions.ts'
import { readHeader } from './csv.ts'
import { CONTACT_COLUMNS, ImportForm, type ImportPlan, ROW_COLUMNS } from './schema.ts'

/** Of the header as it is kept, to say which column is wrong. */
const MAX_NAMES = 500
const MAX_NAME_CHARACTERS = 200

const JSON_FIELDS = new Set(['column_map', 'segments', 'topics'])

/** The form's text fields as values. */
export function readForm(fields: Readonly<Record<string, string>>): Static<typeof ImportForm> {
  const values = Object.entries(fields).map(([name, text]) => {
    if (!JSON_FIELDS.has(name)) return [name, text]
    try {
      return [name, parseShortJson(text)]
    } catch {
      throw new Problem('validation_error', `Invalid \`${name}\` field. It must be JSON.`)
    }
  })
  return validate(ImportForm, Object.fromEntries(values), 'body')
}

/** Decides everything that can be decided from the form and the first line of the file, so that errors are reported at once. */
export async function makePlan(
  trx: Transaction,
  team: string,
  form: Static<typeof ImportForm>,
  start: Buffer,
): Promise<{ plan: ImportPlan; firstRecord: number }> {
  const header = await readHeader(start)
  if (!header) throw new Problem('validation_error', 'Invalid `file` field. Its first line must name the columns.')
  const segments = idsOfSegments(form.segments)
  const topics = form.topics ?? []
  await requireSegments(trx, team, segments)
  await requireTopics(
    trx,
    team,
    topics.map(({ id }) => id),
  )
  const plan: ImportPlan = {
    delimiter: header.delimiter,
    names: header.names.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME_CHARACTERS)),
    columns: contactColumns(form, header.names),
    rowColumns: rowColumns(form, header.names),
    properties: await propertyColumns(trx, team, form, header.names),
    onConflict: form.on_conflict,
    segments,
    topics,
  }
  return { plan, firstRecord: header.end }
}

/** Named in the map, or else found by its own name; only the address is a must. */
function contactColumns(form: Static<typeof ImportForm>, names: string[]): ImportPlan['columns'] {
  const columns: Record<string, number> = {}
  for (const field of CONTACT_COLUMNS) {
    const given = form.column_map?.[field]
    const column = names.indexOf(given ?? field)
    if (column >= 0) columns[field] = column
    else if (given !== undefined) throw noSuchColumn(given)
  }
  if (columns.email === undefined)
    throw new Problem(
      'validation_error',
      'Invalid `file` field. It has no `email` column, and `column_map` names none.',
    )
  return columns
}

/** Named in the map, or not at all. */
function rowColumns(form: Static<typeof ImportForm>, names: string[]): NonNullable<ImportPlan['rowColumns']> {
  const mapped = ROW_COLUMNS.flatMap((field) => {
    const given = form.column_map?.[field]
    if (given === undefined) return []
    const column = names.indexOf(given)
    if (column < 0) throw noSuchColumn(given)
    return [[field, column] as const]
  })
  return Object.fromEntries(mapped)
}

async function propertyColumns(trx: Transaction, team: string, form: Static<typeof ImportForm>, names: string[]) {
  const mapped = Object.entries(form.column_map?.properties ?? {}).map(([key, { column, type }]) => {
    const index = names.indexOf(column)
    if (index < 0) throw noSuchColumn(column)
    // Contact properties are texts and numbers; a boolean is kept as its text.
    return { key, column: index, type: type === 'boolean' ? ('string' as const) : type }
  })
  const properties = await ensureProperties(trx, team, mapped)
  return mapped.map(({ key, column }) => ({ ...properties.get(key)!, column }))
}

const noSuchColumn = (name: string) =>
  new Problem('validation_error', `Invalid \`column_map\` field. The file has no column \`${name}\`.`)
