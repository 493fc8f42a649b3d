import type { Database } from '../../kernel/db/database.ts'
import { Problem } from '../../kernel/http/problem.ts'
import type { Steps } from '../../mail/steps.ts'
import { inTurns } from '../../platform/concurrency/in-turns.ts'
import { type Extent, type Head, type Matcher, type MessageFilter, matcherFor, type Words } from './match.ts'
import { findExtents, findHeads, findWords, pieceOf, readPiece } from './queries.ts'
import { addressSearch, type MessageSearch, messageSearch, searchMessages } from './search.ts'

/** Which part of what fits is wanted. */
export interface Part {
  readonly cursor: string | null
  readonly isOlder: boolean
  readonly amount: number
}

const FIRST_PIECE = 100
/** Messages that are looked at along the list before the index is asked for an address. */
const MAX_WALKED = 1_000
/** Of a search at a time, where other filters may leave some out. */
const MIN_SEARCHED = 21
/** Messages whose words are looked at together: 12 MB if all of them are as long as is searched, and some 500 kB usually. */
const WITH_WORDS = 50
/** Until the last statement begins. */
const MAX_SEARCH_MS = 10_000

export interface Search {
  readonly filter: MessageFilter
  /** That of another search may ask for more than the filter, never for less. */
  readonly matcher?: Matcher
}

/**
 * Messages that fit, from the cursor on, in the order of the list. Pieces of the list are looked through one after the other, so what is
 * frequent is soon found; nothing is counted, and no statement takes longer than a piece does. An address that is rare is asked of the index then.
 */
export async function findFitting(
  db: Database,
  team: string,
  { filter, matcher = matcherFor(filter), cursor, isOlder, amount }: Part & Search,
): Promise<Head[]> {
  const bySearch = messageSearch(team, filter)
  if (bySearch) return findSearched(db, team, { search: bySearch, matcher, cursor, isOlder, amount })
  const byAddress = addressSearch(team, filter)
  const deadline = new SearchDeadline()
  const found: Head[] = []
  let size = pieceOf(matcher.isOpen ? amount : Math.max(amount, FIRST_PIECE))
  let looked = 0
  for (let from = cursor; found.length < amount; size = pieceOf(2 * size)) {
    const { heads, last } = await readPiece(db, team, filter, { cursor: from, isOlder, size })
    if (last === null) break
    found.push(...(await fitting(db, team, { matcher, heads, amount: amount - found.length, deadline })))
    // Fewer than were asked for: there are no others.
    if (matcher.isOpen && heads.length < size) break
    from = last
    looked += size
    deadline.check()
    if (byAddress && looked >= MAX_WALKED && found.length < amount) {
      const rest = { cursor: from, isOlder, amount: amount - found.length }
      return [...found, ...(await findSearched(db, team, { search: byAddress, matcher, ...rest }))]
    }
  }
  return found
}

/** What the index finds, as far as the other filters let it through. */
async function findSearched(
  db: Database,
  team: string,
  { search, matcher, ...part }: Part & { readonly search: MessageSearch; readonly matcher: Matcher },
): Promise<Head[]> {
  const deadline = new SearchDeadline()
  const { isOlder, amount } = part
  const found: Head[] = []
  for (let cursor = part.cursor; found.length < amount; deadline.check()) {
    const wanted = { cursor, isOlder, amount: Math.max(amount, MIN_SEARCHED) }
    const ids = await searchMessages(db, search, wanted)
    const known = await findHeads(
      db,
      ids.map((id) => ({ team, id })),
    )
    const byId = new Map(known.map((head) => [head.id, head]))
    const heads = ids.flatMap((id) => byId.get(id) ?? [])
    found.push(...(await fitting(db, team, { matcher, heads, amount: amount - found.length, deadline })))
    if (ids.length < wanted.amount) break
    cursor = ids.at(-1)!
  }
  return found
}

/** A search that takes too long is stopped. */
export class SearchDeadline {
  readonly #begin = performance.now()

  check() {
    if (performance.now() - this.#begin > MAX_SEARCH_MS)
      throw new Problem('service_unavailable', 'Search timed out; narrow it or retry.')
  }
}

/** Those of some messages of a team that fit, in the order given, up to an amount. */
export async function fitting(
  db: Database,
  team: string,
  {
    matcher,
    heads,
    amount,
    deadline,
  }: {
    readonly matcher: Matcher
    readonly heads: readonly Head[]
    readonly amount: number
    readonly deadline: SearchDeadline
  },
): Promise<Head[]> {
  const verdicts = await inTurns(judge(heads, (head) => matcher.byHead(head)))
  const candidates = heads.flatMap((head, index) => {
    const verdict = verdicts[index]
    return verdict === false ? [] : [{ head, isOpen: verdict === 'words' }]
  })
  const found: Head[] = []
  for (let at = 0; at < candidates.length && found.length < amount; at += WITH_WORDS) {
    const some = candidates.slice(at, at + WITH_WORDS)
    const open = some.flatMap(({ head, isOpen }) => (isOpen ? [head] : []))
    const fits = await fitByWords(db, team, matcher, open)
    for (const { head, isOpen } of some) if (!isOpen || fits.has(head.id)) found.push(head)
    deadline.check()
  }
  return found.slice(0, amount)
}

async function fitByWords(
  db: Database,
  team: string,
  matcher: Matcher,
  heads: readonly Head[],
): Promise<ReadonlySet<string>> {
  if (heads.length === 0) return new Set()
  const [someWords, someExtents] = await Promise.all([
    matcher.needsWords ? findWords(db, team, heads) : [],
    matcher.needsExtents ? findExtents(db, team, heads) : [],
  ])
  const words = new Map(someWords.map((row) => [row.id, row]))
  const extents = new Map(someExtents.map((row) => [row.id, row]))
  const fits = await inTurns(
    judge(heads, (head) => matcher.byWords(head, words.get(head.id) ?? NO_WORDS, extents.get(head.id) ?? NO_EXTENT)),
  )
  return new Set(heads.filter((_head, index) => fits[index]).map(({ id }) => id))
}

const NO_WORDS: Words = { text: null, html: null }
const NO_EXTENT: Extent = { size: 0, attachments: 0, inline: 0 }

function* judge<Verdict>(heads: readonly Head[], verdictOn: (head: Head) => Verdict): Steps<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const head of heads) {
    verdicts.push(verdictOn(head))
    yield
  }
  return verdicts
}
