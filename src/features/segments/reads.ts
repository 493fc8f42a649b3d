import { type Sql, sql } from '../../kernel/db/sql.ts'

export const countSegments = (team: string): Sql => sql`(select count(*)::float8 from segments where team_id = ${team})`
