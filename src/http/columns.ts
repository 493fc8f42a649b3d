import type { Static, TObject } from 'typebox'
import { join, raw, type Sql, sql } from '../platform/db/sql.ts'

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
  const isTimestamp = field.format === 'timestamp' || field.anyOf?.some((choice) => choice.format === 'timestamp')
  return raw(isTimestamp ? `wire_time(${from}.${name})` : `${from}.${name}`)
}

/** The fields of a body that its schema knows. Unknown ones are ignored, and must not become columns. */
export function fieldsOf<Shape extends TObject>(shape: Shape, body: Partial<Static<Shape>>): Partial<Static<Shape>> {
  const known = Object.entries(body).filter(
    ([name, value]) => Object.hasOwn(shape.properties, name) && value !== undefined,
  )
  return Object.fromEntries(known) as Partial<Static<Shape>>
}

/** Whether any of the changes would be one: `t.name is distinct from $1 or …`. */
export function differences(changes: Record<string, unknown>, from: string): Sql {
  const pieces = Object.entries(changes).map(
    ([name, value]) => sql`${raw(`${from}.${name}`)} is distinct from ${value}`,
  )
  return pieces.length === 0 ? sql`false` : join(pieces, ' or ')
}

/** `name = $1, description = $2`: the changes, and when they were made. */
export function assignments(changes: Record<string, unknown>): Sql {
  const pieces = Object.entries(changes).map(([name, value]) => sql`${raw(name)} = ${value}`)
  return join([...pieces, sql`updated_at = now()`], ', ')
}
