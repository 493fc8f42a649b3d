import { type Sql, sql } from '../../kernel/db/sql.ts'

// What others read of API keys, as a part of their statements. Never a token, nor its digest.

export const API_KEYS = sql`(select team_id, id, name, permission, domain_id, expires_at from api_keys)`

/** A key that was deleted is not there any more. */
export const keyExists = (team: Sql, id: Sql): Sql =>
  sql`exists (select from api_keys k where k.team_id = ${team} and k.id = ${id})`

export const nameOfKey = (team: Sql, id: Sql): Sql =>
  sql`(select k.name from api_keys k where k.team_id = ${team} and k.id = ${id})`

export const countKeys = (team: Sql): Sql => sql`(select count(*) from api_keys k where k.team_id = ${team})`
