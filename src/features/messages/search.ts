import type { Database, Queryable } from '../../kernel/db/database.ts'
import { join, sql } from '../../kernel/db/sql.ts'
import { within } from '../../kernel/http/id-ranges.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { type Criteria, conditionsOf, readCriteria, type SearchRules } from '../../kernel/search/criteria.ts'
import type { SearchDocument } from '../../kernel/search/document.ts'
import { searchedText } from '../../kernel/search/document.ts'
import { findIds, lookUp, type Part, type Search } from '../../kernel/search/find.ts'
import type { Searchable } from '../../kernel/search/list.ts'
import type { SearchSource } from '../../kernel/search/source.ts'
import { LAST_EVENTS } from '../../mail/last-event.ts'
import { emailSearch } from '../emails/index.ts'
import { emailsOf, HAS_LEFT } from '../emails/reads.ts'
import { receivedSearch } from '../inbound/index.ts'
import { addressOf, type MessageFilter } from './match.ts'
import { findSearched } from './queries.ts'
import type { Direction } from './schema.ts'
import { MESSAGE_OPERATORS } from './schema.ts'

const rules: SearchRules = {
  operators: MESSAGE_OPERATORS,
  fields: ['subject', 'from', 'to', 'text'],
  statuses: LAST_EVENTS,
}

async function readDocuments(db: Queryable, team: string, ids: readonly string[]): Promise<SearchDocument[]> {
  const rows = await findSearched(db, team, ids)
  return rows.map(({ id, from, to, subject, tags, has_attachment, ...content }) => ({
    id,
    addresses: { from: [from], to },
    texts: { subject: [subject], text: [searchedText(content)] },
    tags,
    hasAttachment: has_attachment,
  }))
}

/**
 * Sent messages with their texts. These are ten times as many words as a list of emails is searched by, and most teams never search them: only
 * those of teams that do are followed.
 */
export const sentSource: SearchSource = {
  kind: 'message',
  table: sql`emails`,
  follows: 'searched',
  read: readDocuments,
}

/** The same messages by their words, or by what their headers say. */
const sentMessages: Searchable = { source: sentSource, rules }

/** What is looked for, and in which documents of sent messages; in those of received ones it always is. */
export interface MessageSearch {
  readonly team: string
  readonly criteria: Criteria
  readonly direction: Direction | undefined
  readonly sent: Searchable
}

const readMessageCriteria = (team: string, q: string | undefined): Criteria | null =>
  readCriteria({ team, kind: 'message' }, rules, { q })

/** Null: nothing is searched for. */
export function messageSearch(team: string, { q, direction }: MessageFilter): MessageSearch | null {
  const criteria = readMessageCriteria(team, q)
  return criteria && { team, criteria, direction, sent: sentMessages }
}

/** Another spelling of such a domain is the same address, which documents do not know. */
const PLAIN_ADDRESS = /^[\w!#$%&'*+/=?^`{|}~.-]+@(?!.*xn--)[\w.-]+$/i

/**
 * Messages to an address, or from it, by the documents of lists, which are written for every team: who waits for one mail of thousands must not have all texts
 * indexed. Null: none is named that the index is sure to know.
 */
export function addressSearch(team: string, { to, from, direction }: MessageFilter): MessageSearch | null {
  const words = Object.entries({ to, from }).flatMap(([field, mailbox]) => {
    const address = mailbox && addressOf(mailbox)
    return address && PLAIN_ADDRESS.test(address) ? [`${field}:"${address}"`] : []
  })
  const criteria = readCriteria({ team, kind: 'email' }, emailSearch.rules, { q: words.join(' ') })
  return criteria && { team, criteria, direction, sent: emailSearch }
}

/** What is changed or deleted is named: a search without a word would be all of it. */
export function requireWords(team: string, q: string | undefined) {
  if (q !== undefined && !readMessageCriteria(team, q)) throw new Problem('invalid_parameter', 'The `q` needs a word.')
}

/** The ids of the messages of a team that fit, from the cursor on, in the order of the list. */
export async function searchMessages(
  db: Database,
  { team, criteria, direction, sent }: MessageSearch,
  part: Part,
): Promise<string[]> {
  const searches = [
    ...(direction === 'received' ? [] : [sentSearch(team, sent, criteria)]),
    ...(direction === 'sent' ? [] : receivedSearches(team, sent.rules, criteria)),
  ]
  const found = await Promise.all(searches.map((search) => findIds(db, search, part)))
  const ids = found.flat().sort()
  return (part.isOlder ? ids.reverse() : ids).slice(0, part.amount)
}

/** Whether it has left, and its status, are asked of the email. */
function sentSearch(team: string, sent: Searchable, criteria: Criteria): Search {
  const statuses = criteria.statuses.map(({ value, isExcluded }) =>
    isExcluded ? sql`e.last_event <> ${value}` : sql`e.last_event = ${value}`,
  )
  return {
    ...searchOf(team, sent, criteria),
    besides: {
      within: (range) => lookUp(sql`e`, sql`${emailsOf(team)} and e.id = d.id ${within(sql`e.id`, range)}`),
      where: join([HAS_LEFT, ...statuses], ' and '),
    },
  }
}

/** A received message has no status. */
const receivedSearches = (team: string, rules: SearchRules, criteria: Criteria): Search[] =>
  criteria.statuses.some(({ isExcluded }) => !isExcluded)
    ? []
    : [searchOf(team, { source: receivedSearch.source, rules }, criteria)]

const searchOf = (team: string, { source, rules }: Searchable, criteria: Criteria): Search => ({
  source,
  team,
  conditions: conditionsOf({ team, kind: source.kind }, rules, { ...criteria, statuses: [] }),
  range: criteria.range,
})
