import type { Queryable } from '../../kernel/db/database.ts'
import { keyOf, raw, sql } from '../../kernel/db/sql.ts'
import {
  MAX_SEARCHED_HTML_LENGTH,
  MAX_SEARCHED_TEXT_LENGTH,
  type SearchDocument,
  searchedText,
} from '../../kernel/search/document.ts'
import type { Searchable } from '../../kernel/search/list.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { RECEIVED_WITH_BODIES, receivedAttachmentsOf } from './reads.ts'
import { RECEIVED_OPERATORS } from './schema.ts'

interface Row {
  readonly id: string
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string | null
  readonly text: string | null
  readonly html: string | null
  readonly has_attachment: boolean
}

async function readDocuments(db: Queryable, team: string, ids: readonly string[]): Promise<SearchDocument[]> {
  const rows = await db.query<Row>(sql`
    select e.id, e."from", e.received_for || e."to" || e.cc || e.bcc as "to", e.subject,
      left(b.text, ${raw(String(MAX_SEARCHED_TEXT_LENGTH))}) as text,
      case when coalesce(b.text, '') !~ '\\S' then left(b.html, ${raw(String(MAX_SEARCHED_HTML_LENGTH))}) end as html,
      exists (select from ${receivedAttachmentsOf(keyOf('e'))}) as has_attachment
    from ${RECEIVED_WITH_BODIES} where e.team_id = ${team} and e.id = any (${ids}::uuid[])`)
  return rows.map((row) => ({
    id: row.id,
    addresses: { from: [row.from], to: row.to },
    texts: { subject: [row.subject], text: [searchedText(row)] },
    hasAttachment: row.has_attachment,
  }))
}

/** What was not read for so long is found by what its header says. */
const MAX_UNREAD_MS = 3_600_000

export const receivedSearch: Searchable = {
  source: {
    kind: 'received',
    table: sql`received_emails`,
    documents: 'received_documents',
    follows: 'always',
    isReady: ({ clock }, team) =>
      sql`s.read_at is not null or s.id < ${firstIdAt(new Date(clock.of(team).now().getTime() - MAX_UNREAD_MS), team)}`,
    read: readDocuments,
  },
  rules: { operators: RECEIVED_OPERATORS, fields: ['subject', 'from', 'to'] },
}
