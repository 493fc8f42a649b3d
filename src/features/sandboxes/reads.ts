import { type Sql, sql } from '../../kernel/db/sql.ts'

// What others read of sandboxes, as a part of their statements: `id` is the team that is a sandbox, `team_id` the one that made it.

export const SANDBOXES = sql`(select team_id, id from sandboxes)`

/** A sandbox that was ended has no row any more, while its team is still being deleted. */
export const sandboxExists = (team: Sql): Sql => sql`exists (select from sandboxes s where s.id = ${team})`
