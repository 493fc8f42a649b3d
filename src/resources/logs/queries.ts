import { columnsOf } from '../../http/columns.ts'
import type { ExchangeRecord } from '../../http/exchange.ts'
import type { Rows } from '../../http/rows.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { LogItem } from './schema.ts'

const COLUMNS = columnsOf(LogItem, 'l')

export const logRows = (team: string): Rows => ({
  columns: COLUMNS,
  from: sql`request_logs l`,
  where: sql`l.team_id = ${team}`,
  id: sql`l.id`,
})

export async function findBodies(db: Queryable, team: string, id: string) {
  const [bodies] = await db.query<{ request_body: string | null; response_body: string | null }>(sql`
    select request_body, response_body from request_logs where team_id = ${team} and id = ${id}`)
  return bodies
}

/** A team that was deleted meanwhile takes its entries along, and must not cost the others theirs. */
export const insertLogs = (db: Queryable, entries: readonly ExchangeRecord[]) =>
  db.query(sql`
    insert into request_logs
      (team_id, id, method, endpoint, response_status, user_agent, request_body, response_body, created_at)
    select entry.* from unnest(
      ${entries.map(({ team }) => team)}::uuid[], ${entries.map(({ id }) => id)}::uuid[],
      ${entries.map(({ method }) => method)}::text[], ${entries.map(({ path }) => path)}::text[],
      ${entries.map(({ status }) => status)}::int[], ${entries.map(({ userAgent }) => userAgent)}::text[],
      ${entries.map(({ requestBody }) => requestBody)}::text[], ${entries.map(({ responseBody }) => responseBody)}::text[],
      ${entries.map(({ at }) => at)}::timestamptz[]
    ) as entry (team) join teams on teams.id = entry.team
    on conflict do nothing`)

/** Deletes some of what is too old, and tells whether there may be more. */
export async function deleteLogsBefore(db: Queryable, moment: Date, limit: number): Promise<boolean> {
  const rows = await db.query(sql`
    delete from request_logs where (team_id, id) in (
      select team_id, id from request_logs where created_at < ${moment} order by created_at limit ${limit})
    returning 1 as deleted`)
  return rows.length === limit
}
