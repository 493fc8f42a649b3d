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
  const arrays = given.map(([field, type]) => {
    if (type instanceof Sql) return type
    // A text, a number or a list is JSON, too, and the driver would not know.
    const isJson = type === 'json' || type === 'jsonb'
    const values = isJson ? records.map((one) => toJson(one[field])) : records.map((one) => one[field])
    const array = sql`${values}::${raw(`${type}[]`)}`
    return isCounted ? array : sql`(select ${array})`
  })
  const names = given.map(([field]) => `"${field}"`).join(', ')
  return sql`unnest(${join(arrays, ', ')}) as ${raw(`${name} (${names})`)}`
}

/** As a column of type json or jsonb takes it. Null is the absence of a value, and not the value `null` of JSON. */
export const toJson = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value)
