import { type Sql, sql } from '../../kernel/db/sql.ts'

// What others read of grants, as a part of their statements.

export const OAUTH_GRANTS = sql`(select team_id, id, user_id, client_name from oauth_grants)`

/** What the program of a grant is called. */
export const clientNameOfGrant = (team: Sql, id: Sql): Sql =>
  sql`(select g.client_name from oauth_grants g where g.team_id = ${team} and g.id = ${id})`

/** A condition: somebody has ended the grant. */
export const isGrantRevoked = (team: Sql, id: Sql): Sql =>
  sql`exists (select from oauth_grants g where g.team_id = ${team} and g.id = ${id} and g.revoked_at is not null)`

/** A condition: there is the grant, and nobody has ended it. */
export const isGrantOpen = (team: Sql, id: Sql): Sql =>
  sql`exists (select from oauth_grants g where g.team_id = ${team} and g.id = ${id} and g.revoked_at is null)`
