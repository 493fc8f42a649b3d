import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { SearchDocument } from '../../kernel/search/document.ts'
import type { Searchable } from '../../kernel/search/list.ts'
import { CONTACT_OPERATORS, CONTACT_STATUSES } from './schema.ts'

interface Row {
  readonly id: string
  readonly email: string
  readonly first_name: string | null
  readonly last_name: string | null
  readonly unsubscribed: boolean
}

async function readDocuments(db: Queryable, team: string, ids: readonly string[]): Promise<SearchDocument[]> {
  const rows = await db.query<Row>(sql`
    select c.id, c.email, c.first_name, c.last_name, c.unsubscribed from contacts c
    where c.team_id = ${team} and c.id = any (${ids}::uuid[])`)
  return rows.map(({ id, email, first_name, last_name, unsubscribed }) => ({
    id,
    addresses: { to: [email] },
    texts: { name: [[first_name, last_name].filter(Boolean).join(' ')] },
    status: [unsubscribed ? 'unsubscribed' : 'subscribed'],
  }))
}

export const contactSearch: Searchable = {
  source: { kind: 'contact', table: sql`contacts`, follows: 'changes', read: readDocuments },
  rules: { operators: CONTACT_OPERATORS, fields: ['to', 'name'], statuses: CONTACT_STATUSES },
}
