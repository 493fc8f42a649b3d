import { raw, type Sql } from '../../kernel/db/sql.ts'

// What becomes of a contact that is there already when it is given again, by a request, by an import or twice in one file. What is
// given now replaces what was there, null is nothing given, and properties are added to those that it has. Its address stays as
// it was written first. Once for the database, and once for rows that are not there yet.

/** For `on conflict do update` on `contacts c`: the columns as they are afterwards. */
export const merged = (columns: readonly string[]): Record<string, Sql> =>
  Object.fromEntries(
    columns
      .filter((name) => name !== 'email')
      .map((name) => [
        name,
        raw(
          name === 'properties' ? 'c.properties || excluded.properties' : `coalesce(excluded."${name}", c."${name}")`,
        ),
      ]),
  )

interface MergedRow {
  readonly email: string
  readonly properties: object
  readonly segments?: readonly unknown[]
  readonly topics?: readonly unknown[]
}

/** The same address twice among rows that are written together: the later row adds to the earlier, as if written after it. */
export function mergeRows<Row extends MergedRow>(earlier: Row, later: Row): Row {
  const given = Object.entries(later).filter(([, value]) => value !== null)
  return {
    ...earlier,
    ...Object.fromEntries(given),
    email: earlier.email,
    properties: { ...earlier.properties, ...later.properties },
    ...(earlier.segments && later.segments && { segments: [...earlier.segments, ...later.segments] }),
    ...(earlier.topics && later.topics && { topics: [...earlier.topics, ...later.topics] }),
  }
}
