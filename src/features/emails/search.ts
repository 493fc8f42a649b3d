import type { Queryable } from '../../kernel/db/database.ts'
import { keyOf, sql } from '../../kernel/db/sql.ts'
import type { Criteria } from '../../kernel/search/criteria.ts'
import type { SearchDocument } from '../../kernel/search/document.ts'
import type { Searchable } from '../../kernel/search/list.ts'
import { LAST_EVENTS } from '../../mail/last-event.ts'
import { attachmentsOf } from './reads.ts'
import { EMAIL_OPERATORS } from './schema.ts'

interface Row {
  readonly id: string
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly tags: readonly { readonly name: string; readonly value: string }[] | null
  readonly has_attachment: boolean
}

/** What an email says of itself never changes, but for its status: that is asked of the email. */
async function readDocuments(db: Queryable, team: string, ids: readonly string[]): Promise<SearchDocument[]> {
  const rows = await db.query<Row>(sql`
    select e.id, e."from", e."to" || coalesce(e.cc, '[]') || coalesce(e.bcc, '[]') as "to", e.subject, e.tags,
      exists (select from ${attachmentsOf(keyOf('e'))}) as has_attachment
    from emails e where e.team_id = ${team} and e.id = any (${ids}::uuid[])`)
  return rows.map(({ id, from, to, subject, tags, has_attachment }) => ({
    id,
    addresses: { from: [from], to },
    texts: { subject: [subject] },
    tags: tags ?? [],
    hasAttachment: has_attachment,
  }))
}

export const emailSearch: Searchable = {
  source: { kind: 'email', table: sql`emails`, documents: 'email_documents', follows: 'always', read: readDocuments },
  rules: { operators: EMAIL_OPERATORS, fields: ['subject', 'from', 'to'], statuses: LAST_EVENTS },
}

/** The status that is wanted, and no other; null: any, or several things about it. */
export function onlyStatus({ statuses }: Criteria): (typeof LAST_EVENTS)[number] | null {
  const [only, ...others] = statuses
  return only && others.length === 0 && !only.isExcluded ? (only.value as (typeof LAST_EVENTS)[number]) : null
}
