import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { SearchDocument } from '../../kernel/search/document.ts'
import type { Searchable } from '../../kernel/search/list.ts'
import { BROADCAST_OPERATORS, STATUSES } from './schema.ts'

interface Row {
  readonly id: string
  readonly name: string
  readonly from: string
  readonly subject: string
  readonly status: string
}

async function readDocuments(db: Queryable, team: string, ids: readonly string[]): Promise<SearchDocument[]> {
  const rows = await db.query<Row>(sql`
    select b.id, b.name, b."from", b.subject, b.status from broadcasts b where b.team_id = ${team} and b.id = any (${ids}::uuid[])`)
  return rows.map(({ id, name, from, subject, status }) => ({
    id,
    addresses: { from: [from] },
    texts: { name: [name], subject: [subject] },
    status: [status],
  }))
}

export const broadcastSearch: Searchable = {
  source: { kind: 'broadcast', table: sql`broadcasts`, follows: 'changes', read: readDocuments },
  rules: { operators: BROADCAST_OPERATORS, fields: ['name', 'subject', 'from'], statuses: STATUSES },
}
