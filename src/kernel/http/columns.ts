import type { Static, TObject } from 'typebox'
import { newId } from '../../platform/ids.ts'
import type { Queryable } from '../db/database.ts'
import { toJson } from '../db/rows.ts'
import { join, raw, type Sql, sql } from '../db/sql.ts'

/**
 * The select list of a shape: its fields are the columns. A timestamp is written as the wire has it; a field that is not a
 * plain column gets its expression in `computed`. `from` is the table's alias.
 */
export function columnsOf(shape: TObject, from: string, computed: Record<string, Sql> = {}): Sql {
  const pieces = Object.entries(shape.properties).map(([name, field]) => {
    const expression = computed[name] ?? column(name, field as { format?: string; const?: unknown }, from)
    return sql`${expression} as ${raw(`"${name}"`)}`
  })
  return join(pieces, ', ')
}

function column(
  name: string,
  field: { format?: string; const?: unknown; anyOf?: { format?: string }[] },
  from: string,
): Sql {
  if (typeof field.const === 'string') return raw(`'${field.const}'::text`)
  const formats = [field, ...(field.anyOf ?? [])].map(({ format }) => format)
  if (formats.includes('timestamp')) return raw(`wire_time(${from}.${name})`)
  return raw(formats.includes('date-time') ? `iso_time(${from}.${name})` : `${from}."${name}"`)
}

/**
 * The fields of a body that its schema knows, in the schema's order: who names them in another order, or others beside them, makes
 * no other statement.
 */
export function fieldsOf<Shape extends TObject, Body extends Partial<Static<Shape>>>(
  shape: Shape,
  body: Body,
): Pick<Body, Extract<keyof Body, keyof Static<Shape>>> {
  const known = Object.keys(shape.properties)
    .filter((name) => Object.hasOwn(body, name))
    .map((name) => [name, body[name as keyof Body]] as const)
  return Object.fromEntries(known.filter(([, value]) => value !== undefined)) as never
}

/** The same, as their columns take them. Where a row differs from the shape, whoever translates does so before. */
export function columnValues<Shape extends TObject>(shape: Shape, body: object): Record<string, unknown> {
  const fields = Object.entries(fieldsOf(shape, body as Partial<Static<Shape>>))
  return Object.fromEntries(
    fields.map(([name, value]) => [name, columnType(shape.properties[name]!) === 'jsonb' ? toJson(value) : value]),
  )
}

interface Field {
  readonly type?: string
  readonly format?: string
  readonly anyOf?: readonly Field[]
  readonly items?: Field
}

const TYPES: Record<string, 'text' | 'boolean' | 'bigint' | 'float8'> = {
  string: 'text',
  boolean: 'boolean',
  integer: 'bigint',
  number: 'float8',
}

/** What a field is kept as. Values of one type have a column of that type, and lists of them an array; whatever else is `jsonb`. */
export function columnType(field: Field) {
  const choices = choicesOf(field).filter(({ type }) => type !== 'null')
  const isList = choices.some(({ type }) => type === 'array')
  const elements = choices.flatMap((one) => (one.type === 'array' ? choicesOf(one.items ?? {}) : [one]))
  const [type, ...others] = new Set(elements.map((one) => (one.format === 'uuid' ? 'uuid' : TYPES[one.type ?? ''])))
  if (type === undefined || others.length > 0) return 'jsonb'
  return isList ? (`${type}[]` as const) : type
}

export const isNullable = (field: Field) => choicesOf(field).some(({ type }) => type === 'null')

const choicesOf = (field: Field): readonly Field[] => field.anyOf?.flatMap(choicesOf) ?? [field]

/** Names are those of our schemas. One that a caller has made up must not get here, and gets no further. */
function named(name: string): Sql {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error(`${JSON.stringify(name)} is no column`)
  return raw(`"${name}"`)
}

/** What a new row begins with: whose it is, an id and a time of the same moment, in the time of its team. */
export function newRow(db: Queryable, team: string) {
  const row = newUndatedRow(db, team)
  return { ...row, updated_at: row.created_at }
}

/** For a table that does not say when a row was changed. */
export function newUndatedRow({ clock }: Queryable, team: string) {
  const own = clock.of(team)
  const created_at = own.now()
  return { team_id: team, id: newId(own, created_at), created_at }
}

/**
 * `(team_id, id, name) values ($1, $2, $3)`: a new row. What is undefined is left to the default of the column. With a condition
 * the row is only written when it holds.
 */
export function insertion(row: Record<string, unknown>, condition?: Sql): Sql {
  const given = Object.entries(row).filter(([, value]) => value !== undefined)
  const names = join(
    given.map(([name]) => named(name)),
    ', ',
  )
  const values = join(
    given.map(([, value]) => sql`${value}`),
    ', ',
  )
  return condition ? sql`(${names}) select ${values} where ${condition}` : sql`(${names}) values (${values})`
}

/** Whether any of the changes would be one: `t.name is distinct from $1 or …`. */
export function differences(changes: Record<string, unknown>, from: string): Sql {
  const pieces = Object.entries(changes).map(
    ([name, value]) => sql`${raw(from)}.${named(name)} is distinct from ${value}`,
  )
  return pieces.length === 0 ? sql`false` : join(pieces, ' or ')
}

/** `name = $1, description = $2`: the changes, and when they were made. */
export const assignments = (changes: Record<string, unknown>, now: Date): Sql =>
  undatedAssignments({ ...changes, updated_at: now })

/** For a table that does not say when a row was changed. Without changes the statement still tells whether there is such a row. */
export function undatedAssignments(changes: Record<string, unknown>): Sql {
  const pieces = Object.entries(changes).map(([name, value]) => sql`${named(name)} = ${value}`)
  return pieces.length === 0 ? sql`id = id` : join(pieces, ', ')
}
