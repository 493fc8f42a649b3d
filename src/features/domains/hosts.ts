import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'

/** Whether a host has the name of one of the team's domains, or lies below it. */
export async function isHostOf(db: Queryable, team: string, host: string): Promise<boolean> {
  const [row] = await db.query(sql`
    select 1 as found from domains
    where team_id = ${team} and not is_placeholder and right('.' || ${host.toLowerCase()}::text, length(name) + 1) = '.' || name
    limit 1`)
  return row !== undefined
}
