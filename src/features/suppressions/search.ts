import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { SearchDocument } from '../../kernel/search/document.ts'
import type { Searchable } from '../../kernel/search/list.ts'
import { ORIGINS, SUPPRESSION_OPERATORS } from './schema.ts'

async function readDocuments(db: Queryable, team: string, ids: readonly string[]): Promise<SearchDocument[]> {
  const rows = await db.query<{ id: string; email: string; origin: string }>(sql`
    select s.id, s.email, s.origin from suppressions s where s.team_id = ${team} and s.id = any (${ids}::uuid[])`)
  return rows.map(({ id, email, origin }) => ({ id, addresses: { to: [email] }, texts: {}, status: [origin] }))
}

export const suppressionSearch: Searchable = {
  source: { kind: 'suppression', table: sql`suppressions`, follows: 'changes', read: readDocuments },
  rules: { operators: SUPPRESSION_OPERATORS, fields: ['to'], statuses: ORIGINS },
}
