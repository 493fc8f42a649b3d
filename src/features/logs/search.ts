import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { SearchDocument } from '../../kernel/search/document.ts'
import type { Searchable } from '../../kernel/search/list.ts'
import { LOG_OPERATORS } from './schema.ts'

interface Row {
  readonly id: string
  readonly method: string
  readonly endpoint: string
  readonly response_status: number
  readonly user_agent: string | null
  readonly ip_address: string | null
  readonly actor_name: string | null
}

async function readDocuments(db: Queryable, team: string, ids: readonly string[]): Promise<SearchDocument[]> {
  const rows = await db.query<Row>(sql`
    select l.id, l.method, l.endpoint, l.response_status, l.user_agent, l.ip_address, l.actor_name from request_logs l
    where l.team_id = ${team} and l.id = any (${ids}::uuid[])`)
  return rows.map(({ id, method, endpoint, response_status: code, user_agent, ip_address, actor_name }) => ({
    id,
    texts: { about: [method, endpoint, user_agent, ip_address, actor_name] },
    status: [String(code), `${Math.floor(code / 100)}xx`],
  }))
}

export const logSearch: Searchable = {
  // There is one for each request: nearly all are never searched.
  source: { kind: 'log', table: sql`request_logs`, follows: 'searched', read: readDocuments },
  rules: { operators: LOG_OPERATORS, fields: ['about'], statuses: /^[1-5](?:\d\d|xx)$/ },
}
