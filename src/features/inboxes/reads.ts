import { type Sql, sql } from '../../kernel/db/sql.ts'

// What others read of inboxes, as a part of their statements.

/** The address that people write to. */
export const addressOfInbox = (team: Sql, id: Sql): Sql =>
  sql`(select i.email_address from inboxes i where i.team_id = ${team} and i.id = ${id})`
