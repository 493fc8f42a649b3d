import { raw, sql } from '../../src/kernel/db/sql.ts'
import type { App } from './app.ts'

/** How many rows each table has for a team, by the names of the tables that have any. */
export async function rowsOf({ db }: App, team: string): Promise<Record<string, number>> {
  const tables = await db.query<{ name: string }>(sql`
    select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where column_name = 'team_id' and table_schema = current_schema() and table_type = 'BASE TABLE'`)
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = await db.query<{ count: number }>(
      sql`select count(*)::int as count from only ${raw(name)} where team_id = ${team}`,
    )
    if (row!.count > 0) counts[name] = row!.count
  }
  return counts
}
