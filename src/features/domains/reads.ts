import { type Sql, sql } from '../../kernel/db/sql.ts'

// What others read of domains, as a part of their statements.

export const DOMAIN_NAMES = sql`(select team_id, id, name from domains)`

export const countDomains = (team: string): Sql => sql`(select count(*)::float8 from domains where team_id = ${team})`
