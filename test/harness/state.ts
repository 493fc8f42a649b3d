import type { Database } from '../../src/platform/db/database.ts'
import { join, raw, type Sql, sql } from '../../src/platform/db/sql.ts'

let tables: Promise<Table[]> | null = null

/**
 * What the database holds of a team: which version of each row. Two that are equal: nothing was written in between. Left out is what
 * every request writes, successful or not: its log, and when and how often its key was used. Versions and not contents: to read all rows again after
 * each of hundreds of requests took more than all of the requests.
 */
export async function stateOf(db: Database, team: string): Promise<Record<string, string>> {
  tables ??= tablesOfTeams(db)
  const rows = await db.query<{ name: string; rows: string }>(join((await tables).map(versions(team)), ' union all '))
  const [jobs] = await db.query<{ count: string }>(sql`select count(*) from jobs where payload ->> 'team' = ${team}`)
  return { ...Object.fromEntries(rows.map(({ name, rows }) => [name, rows])), jobs: jobs!.count }
}

/** Where a row is, and which transaction wrote it: both are others as soon as it is written again. */
const VERSION = 'tableoid, ctid, xmin'

interface Table {
  readonly name: string
  /** When a key was used is a column of this one, so its contents are compared, without that. */
  readonly isMarkedByUse: boolean
}

const versions =
  (team: string) =>
  ({ name, isMarkedByUse }: Table): Sql => {
    const version = raw(isMarkedByUse ? `to_jsonb(t) - '${USED_AT}'` : `row(${VERSION})`)
    return sql`
      select ${raw(`'${name}'`)} as name, coalesce(string_agg(version, E'\n' order by version), '') as rows
      from (select (${version})::text as version from ${raw(name)} t where team_id = ${team}) all_rows`
  }

const USED_AT = 'last_used_at'

async function tablesOfTeams(db: Database): Promise<Table[]> {
  return db.query<Table>(sql`
    select table_name::text as name, bool_or(column_name = ${USED_AT}) as "isMarkedByUse" from information_schema.columns
    where table_schema = 'public' and table_name not in ('request_logs', 'api_key_uses')
    group by table_name having bool_or(column_name = 'team_id') order by table_name`)
}
