import type { Database } from '../../src/kernel/db/database.ts'
import { raw, type Sql, sql } from '../../src/kernel/db/sql.ts'

/** One statement about all tables, with one parameter: written anew for each look it took half of the look's time. */
let tables: Promise<Sql> | null = null

/**
 * What the database holds of a team: which version of each row. Two that are equal: nothing was written in between. Left out is what
 * every request writes, successful or not: its log, and when and how often its key was used. Versions and not contents: to read all rows again after
 * each of hundreds of requests took more than all of the requests.
 */
export async function stateOf(db: Database, team: string): Promise<Record<string, string>> {
  tables ??= versionsInAllTables(db)
  const rows = await db.query<{ name: string; rows: string }>(sql`
    with team as (select ${team}::uuid as id) ${await tables}
    union all select 'jobs', count(*)::text from jobs where payload ->> 'team' = (select id::text from team)`)
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]))
}

/** Where a row is, and which transaction wrote it: both are others as soon as it is written again. */
const VERSION = 'row(tableoid, ctid, xmin)'

const USED_AT = 'last_used_at'

async function versionsInAllTables(db: Database): Promise<Sql> {
  // When a key was used is a column of one of them: its contents are compared, without that.
  const found = await db.query<{ name: string; isMarkedByUse: boolean }>(sql`
    select table_name::text as name, bool_or(column_name = ${USED_AT}) as "isMarkedByUse" from information_schema.columns
    where table_schema = 'public' and table_name not in ('request_logs', 'api_key_uses')
      and not (select relispartition from pg_class where oid = quote_ident(table_name)::regclass)
    group by table_name having bool_or(column_name = 'team_id') order by table_name`)
  const selects = found.map(({ name, isMarkedByUse }) => {
    const version = isMarkedByUse ? `to_jsonb(t) - '${USED_AT}'` : VERSION
    return `
      select '${name}' as name, coalesce(string_agg(version, E'\n' order by version), '') as rows
      from (select (${version})::text as version from ${name} t where team_id = (select id from team)) all_rows`
  })
  return raw(selects.join(' union all '))
}
