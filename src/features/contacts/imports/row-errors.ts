import type { Queryable } from '../../../kernel/db/database.ts'
import { rowsOf } from '../../../kernel/db/rows.ts'
import { join, raw, sql } from '../../../kernel/db/sql.ts'
import { columnsOf } from '../../../kernel/http/columns.ts'
import type { Rows } from '../../../kernel/http/rows.ts'
import { type Expired, madeBefore, ofTeam } from '../../../kernel/jobs/retention.ts'
import { newId } from '../../../platform/ids.ts'
import type { RowProblem } from './contact-row.ts'
import { ImportError } from './schema.ts'

/** Kept for one import; the rest is only counted, since a faulty file shows it in its first rows. */
export const MAX_KEPT_ERRORS = 1_000
/** Of the cells of one row, names of columns left aside. */
export const MAX_RECORD_CHARACTERS = 4_000
const MAX_VALUE_CHARACTERS = 200

export interface FailedRow extends RowProblem {
  /** In the file, where the header is row 1. */
  readonly row: number
  /** Null: it could not be read. */
  readonly values: readonly string[] | null
}

/** Keeps why rows failed, with what is needed to correct them. */
export async function insertRowErrors(
  db: Queryable,
  team: string,
  importId: string,
  { rows, names }: { readonly rows: readonly FailedRow[]; readonly names: readonly string[] },
) {
  if (rows.length === 0) return
  const clock = db.clock.of(team)
  const written = rows.map(({ row, column, reason, values }) => ({
    id: newId(clock),
    row,
    reason,
    column: column === null ? null : (names[column] ?? null),
    value: column === null ? null : storable(values?.[column] ?? '').slice(0, MAX_VALUE_CHARACTERS),
    record: recordOf(values ?? [], names),
  }))
  await db.query(sql.write`
    insert into contact_import_errors (team_id, import_id, id, row_number, column_name, value, reason, record)
    select ${team}::uuid, ${importId}::uuid, id, "row", "column", value, reason, record from ${rowsOf(written, {
      id: 'uuid',
      row: 'bigint',
      column: 'text',
      value: 'text',
      reason: 'text',
      record: 'json',
    })}`)
}

/** The cells by the names of their columns; duplicate names are numbered. */
function recordOf(values: readonly string[], names: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {}
  let left = MAX_RECORD_CHARACTERS
  for (const [index, value] of values.entries()) {
    const name = storable(names[index] || `Column ${index + 1}`)
    const text = storable(value).slice(0, left)
    left -= text.length
    record[name in record ? `${name} (${index + 1})` : name] = text
  }
  return record
}

const storable = (text: string) => text.replaceAll('\0', '').toWellFormed()

const COLUMNS = columnsOf(ImportError, 'e', { row: raw('e.row_number::float8'), column: raw('e.column_name') })

/** In the order of the file. */
export const importErrorRows = (team: string, importId: string): Rows => ({
  columns: COLUMNS,
  from: sql`contact_import_errors e`,
  where: sql`e.team_id = ${team} and e.import_id = ${importId}`,
  id: sql`e.id`,
  isAscending: true,
})

export async function deleteRowErrorsBefore(db: Queryable, { moment, limit, team }: Expired): Promise<boolean> {
  const old = join(madeBefore(sql`id`, moment), ' or ')
  const rows = await db.query(sql.write`
    delete from contact_import_errors where (team_id, import_id, id) in (
      select team_id, import_id, id from contact_import_errors where (${old}) ${ofTeam(team)} limit ${limit})
    returning id`)
  return rows.length === limit
}
