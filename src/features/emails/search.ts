import type { Queryable } from '../../kernel/db/database.ts'
import { keyOf, sql } from '../../kernel/db/sql.ts'
import type { Criteria } from '../../kernel/search/criteria.ts'
import type { SearchDocument } from '../../kernel/search/document.ts'
import type { Searchable } from '../../kernel/search/list.ts'
import { LAST_EVENTS, type LastEvent } from '../../mail/last-event.ts'
import { attachmentsOf } from './reads.ts'
import { EMAIL_OPERATORS } from './schema.ts'

interface Row {
  readonly id: string
  readonly last_event: string
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly tags: readonly { readonly name: string; readonly value: string }[] | null
  readonly has_attachment: boolean
}

/** How few emails end: their documents say it. Of all others the status is asked of the email alone. */
const INDEXED_STATUSES: ReadonlySet<string> = new Set<LastEvent>([
  'bounced',
  'canceled',
  'complained',
  'failed',
  'suppressed',
])

export const isIndexed = (status: string) => INDEXED_STATUSES.has(status)

/** What an email says of itself never changes, but for its status. */
async function readDocuments(db: Queryable, team: string, ids: readonly string[]): Promise<SearchDocument[]> {
  const rows = await db.query<Row>(sql`
    select e.id, e.last_event, e."from", e."to" || coalesce(e.cc, '[]') || coalesce(e.bcc, '[]') as "to", e.subject, e.tags,
      exists (select from ${attachmentsOf(keyOf('e'))}) as has_attachment
    from emails e where e.team_id = ${team} and e.id = any (${ids}::uuid[])`)
  return rows.map(({ id, last_event, from, to, subject, tags, has_attachment }) => ({
    id,
    addresses: { from: [from], to },
    texts: { subject: [subject] },
    status: isIndexed(last_event) ? [last_event] : [],
    tags: tags ?? [],
    hasAttachment: has_attachment,
  }))
}

export const emailSearch: Searchable = {
  source: {
    kind: 'email',
    table: sql`emails`,
    documents: 'email_documents',
    follows: 'always',
    isNoted: true,
    read: readDocuments,
  },
  rules: { operators: EMAIL_OPERATORS, fields: ['subject', 'from', 'to'], statuses: LAST_EVENTS },
}

/** The status that is wanted, and no other; null: any, or several things about it. */
export function onlyStatus({ statuses }: Criteria): (typeof LAST_EVENTS)[number] | null {
  const [only, ...others] = statuses
  return only && others.length === 0 && !only.isExcluded ? (only.value as (typeof LAST_EVENTS)[number]) : null
}
