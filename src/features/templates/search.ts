import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { SearchDocument } from '../../kernel/search/document.ts'
import type { Searchable } from '../../kernel/search/list.ts'
import { TEMPLATE_OPERATORS, TEMPLATE_STATUSES } from './schema.ts'

interface Row {
  readonly id: string
  readonly name: string
  readonly alias: string | null
  readonly from: string | null
  readonly subject: string | null
  readonly is_published: boolean
}

/** By the content that is edited, published or not. */
async function readDocuments(db: Queryable, team: string, ids: readonly string[]): Promise<SearchDocument[]> {
  const rows = await db.query<Row>(sql`
    select t.id, t.name, t.alias, v."from", v.subject, t.published_version_id is not null as is_published
    from templates t left join template_versions v on v.team_id = t.team_id and v.id = t.current_version_id
    where t.team_id = ${team} and t.id = any (${ids}::uuid[])`)
  return rows.map(({ id, name, alias, from, subject, is_published }) => ({
    id,
    addresses: { from: from === null ? [] : [from] },
    texts: { name: [name, alias], subject: [subject] },
    status: [is_published ? 'published' : 'draft'],
  }))
}

export const templateSearch: Searchable = {
  source: { kind: 'template', table: sql`templates`, follows: 'changes', read: readDocuments },
  rules: { operators: TEMPLATE_OPERATORS, fields: ['name', 'subject', 'from'], statuses: TEMPLATE_STATUSES },
}
