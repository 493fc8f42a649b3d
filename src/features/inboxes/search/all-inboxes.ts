import type { Static } from 'typebox'
import type { Database, Queryable, Transaction } from '../../../kernel/db/database.ts'
import { type Sql, sql } from '../../../kernel/db/sql.ts'
import { currentThread } from '../filing/folders.ts'
import { findInboxIds } from '../queries.ts'
import type { ThreadSearchAll } from '../threads/schema.ts'
import { readCriteria } from './criteria.ts'
import { before, behind, type Found, findWithin, limited, positionOf, type Search, type SearchPage } from './finding.ts'
import { lastOf } from './slices.ts'

/**
 * A page of what all inboxes of a team have: each is searched by itself, since words in the index are those of an inbox, the one that got
 * mail last first. Once a page is full, the next inboxes are only asked for what is newer than its last entry. All of it within the time of
 * one search.
 */
export const findInAllInboxes = (
  db: Database,
  team: string,
  filter: Static<typeof ThreadSearchAll>,
  page: SearchPage,
): Promise<Found[]> =>
  limited(db, async (trx, deadline) => {
    const searches = await searchesOf(trx, team, filter)
    const position = page.cursor === null ? null : await findPosition(trx, searches, page.cursor)
    let best: readonly Found[] = []
    for (const search of searches) {
      const last = page.isOlder && best.length >= page.amount ? best.at(-1)!.email : null
      const newer =
        last === null ? search : { ...search, range: { ...search.range, from: lastOf(search.range.from, last) } }
      const anchor = position && anchorIn(search.inbox, position, page.isOlder)
      const found = await findWithin(trx, newer, { ...page, anchor, deadline })
      best = [...best, ...found].sort(page.isOlder ? newestFirst : oldestFirst).slice(0, page.amount)
    }
    return [...best]
  })

/** Without the inboxes in which nothing can be found. */
async function searchesOf(
  trx: Transaction,
  team: string,
  filter: Static<typeof ThreadSearchAll>,
): Promise<readonly Search[]> {
  const searches: Search[] = []
  for (const inbox of await findInboxIds(trx, team)) {
    const { search } = await readCriteria(trx, { team, inbox }, filter)
    if (search) searches.push(search)
  }
  return searches
}

/** One email may be in several inboxes. */
const oldestFirst = (one: Found, other: Found) => compare(one.email, other.email) || compare(one.inbox, other.inbox)
const newestFirst = (one: Found, other: Found) => oldestFirst(other, one)
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

interface Position {
  readonly email: string
  /** Null: the cursor names no thread. */
  readonly inbox: string | null
}

/** Where a thread is in the list. Any other id is a place of its own. */
async function findPosition(db: Queryable, searches: readonly Search[], cursor: string): Promise<Position> {
  for (const search of searches) {
    const [row] = await db.query<{ position: string; isThere: boolean }>(sql`
      select ${positionOf(search, cursor)} as position, exists (
        select from inbox_threads t
        where t.team_id = ${search.team} and t.inbox_id = ${search.inbox} and t.id = ${currentThread(search.team, cursor)}) as "isThere"`)
    if (row!.isThere) return { email: row!.position, inbox: search.inbox }
  }
  return { email: cursor, inbox: null }
}

/** The same email in an inbox that comes later in the list is still to come. */
function anchorIn(inbox: string, { email, inbox: at }: Position, isOlder: boolean): Sql {
  const isStillToCome = at !== null && (isOlder ? inbox < at : inbox > at)
  return sql`${isStillToCome ? (isOlder ? behind(email) : before(email)) : email}::uuid`
}
