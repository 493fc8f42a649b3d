import { join, raw, Sql, sql } from './sql.ts'

/** The types that a column of `rowsOf` may have, for values of a type of ours. */
type TypeFor<Value> =
  | 'json'
  | 'jsonb'
  | ([NonNullable<Value>] extends [string]
      ? 'text' | 'uuid' | 'timestamptz'
      : [NonNullable<Value>] extends [number]
        ? 'smallint' | 'int' | 'bigint' | 'float8'
        : [NonNullable<Value>] extends [boolean]
          ? 'boolean'
          : [NonNullable<Value>] extends [Date]
            ? 'timestamptz'
            : [NonNullable<Value>] extends [Uint8Array]
              ? 'bytea'
              : never)

/** Which fields of the records are columns, and of which type. An Sql is an expression for the whole column, as an array. */
export type Columns<Row> = { readonly [Name in keyof Row]?: TypeFor<Row[Name]> | Sql }

/**
 * Records as a table in a statement: `unnest($1::uuid[], $2::text[]) as given ("id", "email")`. A parameter for each column,
 * however many records there are, so that the statement is planned once. What is undefined is null.
 */
export const rowsOf = <Row extends object>(records: readonly Row[], columns: Columns<Row>, name = 'given'): Sql =>
  tableOf(records, columns, { name, isCounted: true })

/**
 * The same, for a large statement that is run for a few records at a time. The planner does not see how many there are, so its plan for
 * any number is as good as one for this number, and it is made once: of a settled email, planning was a third.
 */
export const anyRowsOf = <Row extends object>(records: readonly Row[], columns: Columns<Row>, name = 'given'): Sql =>
  tableOf(records, columns, { name, isCounted: false })

function tableOf<Row extends object>(
  records: readonly Row[],
  columns: Columns<Row>,
  { name, isCounted }: { name: string; isCounted: boolean },
): Sql {
  const given = Object.entries(columns) as [keyof Row & string, string | Sql][]
  const values: unknown[] = []
  let isWrite = false
  let key = `${isCounted} ${name}`
  for (const [field, type] of given) {
    if (type instanceof Sql) {
      values.push(...type.values)
      isWrite ||= type.isWrite
      key += `, ${field} ${type.strings.join('$')}`
    } else {
      values.push(arrayOf(records, field, type))
      key += `, ${field} ${type}`
    }
  }
  return new Sql(textOf(key, given, { name, isCounted }), values, isWrite)
}

/** By their columns: the same ones are put together once. */
const texts = new Map<string, readonly string[]>()
const MAX_TEXTS = 10_000

function textOf(
  key: string,
  columns: readonly [field: string, type: string | Sql][],
  { name, isCounted }: { name: string; isCounted: boolean },
): readonly string[] {
  const known = texts.get(key)
  if (known) return known
  const arrays = columns.map(([, type]) => {
    if (type instanceof Sql) return type
    const array = sql`${null}::${raw(`${type}[]`)}`
    return isCounted ? array : sql`(select ${array})`
  })
  const names = columns.map(([field]) => `"${field}"`).join(', ')
  const { strings } = sql`unnest(${join(arrays, ', ')}) as ${raw(`${name} (${names})`)}`
  if (texts.size < MAX_TEXTS) texts.set(key, strings)
  return strings
}

/**
 * A column as PostgreSQL reads arrays. The driver does the same at three times the cost: it looks through each text twice, and writes
 * times in the zone of the process. Bytes are left to it.
 */
function arrayOf<Row>(records: readonly Row[], field: keyof Row, type: string): unknown {
  if (type === 'bytea') return records.map((one) => one[field])
  // A text, a number or a list is JSON, too. Written as a text in JSON it is an element: only quotes and backslashes are escaped, both in the same way.
  const isJson = type === 'json' || type === 'jsonb'
  let array = '{'
  for (const [index, one] of records.entries()) {
    if (index > 0) array += ','
    const value = isJson ? toJson(one[field]) : one[field]
    array += value === null || value === undefined ? 'NULL' : isJson ? JSON.stringify(value) : elementOf(value)
  }
  return `${array}}`
}

function elementOf(value: unknown): string {
  if (value instanceof Date) return `"${value.toISOString()}"`
  if (typeof value !== 'string') return String(value)
  return value.includes('"') || value.includes('\\') ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`
}

/** As a column of type json or jsonb takes it. Null is the absence of a value, and not the value `null` of JSON. */
export function toJson(value: object): string
export function toJson(value: unknown): string | null
export function toJson(value: unknown): string | null {
  return value === null || value === undefined ? null : storableJson(JSON.stringify(value))
}

/**
 * Half a surrogate pair and the character zero have no place in a text of PostgreSQL. It takes them into a column of type json all the same, and
 * then refuses every statement that reads a field of that row, with all other rows that the statement reads. So they become U+FFFD. Of what
 * JSON.stringify writes: there a whole pair is no escape.
 */
const storableJson = (json: string): string =>
  json.includes('\\u') ? json.replace(ESCAPE, (escaped, unstorable) => (unstorable ? '\ufffd' : escaped)) : json

const ESCAPE = /\\(?:(u0000|ud[89a-f]..)|.)/g
