import type { Database } from '../../kernel/db/database.ts'
import { Problem } from '../../kernel/http/problem.ts'
import type { Steps } from '../../mail/steps.ts'
import { inTurns } from '../../platform/concurrency/in-turns.ts'
import { type Extent, type Head, type Matcher, matcherFor, type Wish, type Words } from './match.ts'
import { findExtents, findWords, readPiece } from './queries.ts'

/** Which part of what fits is wanted. */
export interface Part {
  readonly cursor: string | null
  readonly isOlder: boolean
  readonly amount: number
}

const FIRST_PIECE = 100
const LARGEST_PIECE = 1_000
/** Messages whose words are looked at together: 12 MB if all of them are as long as is searched, and some 500 kB usually. */
const WITH_WORDS = 50
/** Until the last statement begins. */
const LONGEST_MS = 10_000

/**
 * Messages that fit, from the cursor on, in the order of the list. Pieces of the list are looked through one after the other, so what is
 * frequent is soon found; nothing is counted, and no statement takes longer than a piece does. A matcher of another search may ask for
 * more than the wish, never for less.
 */
export async function findFitting(
  db: Database,
  team: string,
  wish: Wish,
  { cursor, isOlder, amount }: Part,
  matcher = matcherFor(wish),
): Promise<Head[]> {
  const patience = new Patience()
  const found: Head[] = []
  let size = matcher.isOpen ? amount : Math.max(amount, FIRST_PIECE)
  for (let from = cursor; found.length < amount; size = Math.min(2 * size, LARGEST_PIECE)) {
    const { heads, last } = await readPiece(db, team, wish, { cursor: from, isOlder, size })
    if (last === null) break
    found.push(...(await fitting(db, team, matcher, heads, { amount: amount - found.length, patience })))
    // Fewer than were asked for: there are no others.
    if (matcher.isOpen && heads.length < size) break
    from = last
    patience.check()
  }
  return found
}

/** A search that takes too long is stopped. */
export class Patience {
  readonly #begin = performance.now()

  check() {
    if (performance.now() - this.#begin > LONGEST_MS)
      throw new Problem('service_unavailable', 'The search took too long, and was stopped. Look for less at once.')
  }
}

/** Those of some messages of a team that fit, in the order given, up to an amount. */
export async function fitting(
  db: Database,
  team: string,
  matcher: Matcher,
  heads: readonly Head[],
  { amount, patience }: { amount: number; patience: Patience },
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
    patience.check()
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
