import type { Database } from '../../src/platform/db/database.ts'
import { join, raw, type Sql, sql } from '../../src/platform/db/sql.ts'

let tables: Promise<string[]> | null = null

/**
 * What the database holds of a team: the rows of each table as text. Two that are equal: nothing was written in between. Left
 * out is what every request writes, successful or not: its log, and when its key was used.
 */
export async function stateOf(db: Database, team: string): Promise<Record<string, string>> {
  tables ??= tablesOfTeams(db)
  const rows = await db.query<{ name: string; rows: string }>(join((await tables).map(contents(team)), ' union all '))
  const [jobs] = await db.query<{ count: string }>(sql`select count(*) from jobs where payload ->> 'team' = ${team}`)
  return { ...Object.fromEntries(rows.map(({ name, rows }) => [name, rows])), jobs: jobs!.count }
}

const contents =
  (team: string) =>
  (table: string): Sql =>
    sql`
    select ${raw(`'${table}'`)} as name, coalesce(string_agg(row::text, E'\n' order by row::text), '') as rows
    from (select to_jsonb(t) - 'last_used_at' as row from ${raw(table)} t where team_id = ${team}) all_rows`

async function tablesOfTeams(db: Database): Promise<string[]> {
  const rows = await db.query<{ table_name: string }>(sql`
    select table_name::text from information_schema.columns
    where table_schema = 'public' and column_name = 'team_id' and table_name <> 'request_logs' order by table_name`)
  return rows.map(({ table_name }) => table_name)
}
