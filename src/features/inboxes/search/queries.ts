import type { Database } from '../../../kernel/db/database.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import type { Rows } from '../../../kernel/http/rows.ts'
import { roughText } from '../../../mail/rough-text.ts'
import type { Steps } from '../../../mail/steps.ts'
import { inTurns } from '../../../platform/concurrency/in-turns.ts'
import { allUnpacked, leftOf, type StoredBodies } from '../../emails/reads.ts'
import { joinBodies } from '../filing/bodies.ts'
import { threadColumns, WITH_MESSAGES } from '../threads/queries.ts'
import type { Found } from './finding.ts'
import { matchedText } from './matched-text.ts'
import type { Term } from './query.ts'

/** How much of a message is looked at to show what matched: some 3 ms in all for a page. What is further down is found, and not shown. */
const SHOWN_TEXT = 20_000
const SHOWN_HTML = 60_000
const WITH_BODIES = joinBodies(sql`left(b.text, ${SHOWN_TEXT}) as text, b.html`)

interface Content {
  readonly email: string
  readonly subject: string | null
  readonly people: string
  readonly files: readonly string[]
  readonly text: string | null
  readonly html: string | null
}

export interface Shown extends Found {
  readonly text: string | null
}

/** What was found, with the piece of each email that matched. */
export async function showMatches(
  db: Database,
  team: string,
  found: readonly Found[],
  terms: readonly Term[],
): Promise<Shown[]> {
  if (terms.length === 0 || found.length === 0) return found.map((one) => ({ ...one, text: null }))
  const contents = await db.query<Content & StoredBodies>(sql`
    select m.id as email, m.subject, m.people, body.text, body.content,
      case when coalesce(body.text, '') !~ '\\S' then left(body.html, ${SHOWN_HTML}) end as html,
      array(select f ->> 'filename' from jsonb_array_elements(m.attachments) f where f ->> 'filename' is not null) as files
    from unnest(${found.map(({ inbox }) => inbox)}::uuid[], ${found.map(({ email }) => email)}::uuid[]) as found (inbox, email)
    join inbox_messages m on m.team_id = ${team} and m.inbox_id = found.inbox and m.id = found.email ${WITH_BODIES}`)
  // A page of long ones takes longer than others should wait.
  const texts = await inTurns(matchesIn(await allUnpacked(contents), terms))
  return found.map((one) => ({ ...one, text: texts.get(one.email) ?? null }))
}

function* matchesIn(contents: readonly Content[], terms: readonly Term[]): Steps<Map<string, string | null>> {
  const texts = new Map<string, string | null>()
  for (const content of contents) {
    texts.set(content.email, matchedText(textsOf(content), terms))
    yield
  }
  return texts
}

function textsOf({ text, html, subject, files, people }: Content): string[] {
  const body = text?.trim() ? leftOf(text, SHOWN_TEXT)! : roughText(leftOf(html, SHOWN_HTML) ?? '').slice(0, SHOWN_TEXT)
  return [body, subject ?? '', ...files, ...people.split('\n').map((line) => line.slice(1))]
}

const COLUMNS = sql`${threadColumns({ showsText: true })}, found.email as matched_email_id, found.text as matched_text`
const COLUMNS_OF_ALL = sql`${COLUMNS}, t.inbox_id`

/** The page that was found, which is behind any cursor already, in the order in which it was found. */
export const foundRows = (
  team: string,
  found: readonly Shown[],
  { isOlder, showsInbox = false }: { readonly isOlder: boolean; readonly showsInbox?: boolean },
): Rows => ({
  columns: showsInbox ? COLUMNS_OF_ALL : COLUMNS,
  from: sql`
    unnest(${found.map(({ thread }) => thread)}::uuid[], ${found.map(({ email }) => email)}::uuid[],
      ${found.map(({ text }) => text)}::text[], ${found.map((_, at) => (isOlder ? found.length - at : at))}::int[])
      as found (thread, email, text, rank)
    join inbox_threads t on t.team_id = ${team} and t.id = found.thread ${WITH_MESSAGES}`,
  where: sql`t.team_id = ${team}`,
  id: sql`t.id`,
  order: { by: sql`found.rank`, positionOf: () => raw(isOlder ? '2147483647' : '-1') },
})
