import { type Sql, sql } from '../../kernel/db/sql.ts'

/** What the program of a grant is called; part of the statements of others. */
export const clientNameOfGrant = (team: Sql, id: Sql): Sql =>
  sql`(select g.client_name from oauth_grants g where g.team_id = ${team} and g.id = ${id})`
