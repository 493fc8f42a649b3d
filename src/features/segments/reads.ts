import type { Queryable } from '../../kernel/db/database.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'

export async function segmentExists(db: Queryable, team: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`select 1 as found from segments where team_id = ${team} and id = ${id}`)
  return rows.length > 0
}

export const countSegments = (team: string): Sql => sql`(select count(*)::float8 from segments where team_id = ${team})`

/** What a segment is called, or null. */
export const nameOfSegment = (team: Sql, id: Sql): Sql =>
  sql`(select s.name from segments s where s.team_id = ${team} and s.id = ${id})`
