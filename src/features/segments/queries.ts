import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { columnsOf, columnValues, insertion, newUndatedRow, undatedAssignments } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { isId } from '../../platform/ids.ts'
import { CreateSegment, SegmentItem, UpdateSegment } from './schema.ts'

const COLUMNS = columnsOf(SegmentItem, 's')

export const segmentRows = (team: string): Rows => ({
  columns: COLUMNS,
  from: sql`segments s`,
  where: sql`s.team_id = ${team}`,
  id: sql`s.id`,
})

export async function insertSegment(db: Queryable, team: string, segment: Static<typeof CreateSegment>) {
  const row = newUndatedRow(db, team)
  await db.query(sql.write`
    insert into segments ${insertion({ ...row, ...columnValues(CreateSegment, segment) })} returning id`)
  return row.id
}

export async function updateSegment(
  db: Queryable,
  team: string,
  id: string,
  changes: Static<typeof UpdateSegment>,
): Promise<boolean> {
  const rows = await db.query(sql.write`
    update segments set ${undatedAssignments(columnValues(UpdateSegment, changes))}
    where team_id = ${team} and id = ${id} returning id`)
  return rows.length > 0
}

/** Its contacts stay; only their membership goes. */
export const deleteSegment = (db: Queryable, team: string, id: string) =>
  db.query(sql.write`delete from segments where team_id = ${team} and id = ${id}`)

/** Those of them that there are. Inside a transaction they stay until it ends. */
export async function findSegments(db: Queryable, team: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from segments where team_id = ${team} and id = any (${ids}::uuid[]) for key share`)
  return rows.map(({ id }) => id)
}

/** The ids of those with these names or ids, by what was given; of several with one name it is the first. */
export async function findSegmentsNamed(
  db: Queryable,
  team: string,
  given: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; name: string }>(sql`
    select id, name from segments where team_id = ${team} and (name = any (${given}::text[]) or id = any (${given.filter(isId)}::uuid[]))
    order by id desc`)
  return new Map(rows.flatMap(({ id, name }) => [[name, id] as const, [id, id] as const]))
}
