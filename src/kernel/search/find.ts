import type { Database, Queryable } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { askIndex, MAX_SCAN } from './ask-index.ts'
import { BEING_BUILT, catchUp, catchUpNotes, indexBelow } from './catch-up.ts'
import type { Condition } from './criteria.ts'
import { SearchDeadline } from './deadline.ts'
import { behind, type IdRange, idsOf, later, nearAndFar, overlapOf, restBehind, sooner } from './ranges.ts'
import type { SearchSource } from './source.ts'
import { findByWays, type Look, MAX_CANDIDATES, scan } from './statements.ts'

/** What is looked for in a kind of items. */
export interface Search {
  readonly source: SearchSource
  readonly team: string
  /** What the index decides. All must hold. */
  readonly conditions: readonly Condition[]
  /** Of what changes, and is noted: `besides` decides it, and the index helps as soon as the documents say it. */
  readonly noted?: readonly Condition[] | undefined
  readonly range: IdRange
  /**
   * Set: what the item itself decides. `with` joins it to a document `d`, and `where` is a condition. It is looked up by its key (`lookUp`): a plain
   * join of 2,000 candidates was a merge with all items of the team. Where items are in partitions, `within` is the same for a range of ids.
   */
  readonly besides?: Besides | undefined
  /** Each selects the ids of all items that can fit. Where they are few, nothing else is looked at; where they are some, nothing else that is many. */
  readonly ways?: readonly Sql[] | undefined
}

export type Besides = { readonly where: Sql } & ({ readonly with: Sql } | { within(range: IdRange): Sql })

/** Joins a row that a document `d` leads to, under its name: one at a time, by its key. */
export const lookUp = (name: Sql, row: Sql): Sql => sql`cross join lateral (select * from ${row} limit 1) ${name}`

/** Which part of what is found. */
export interface Part {
  readonly cursor: string | null
  readonly isOlder: boolean
  readonly amount: number
}

/** Documents that are looked at one after the other, from the cursor on: what is frequent is met there. */
const FIRST_SCAN = 250
const MAX_SCANNED = 20_000
/** What one or two of a first scan say about the next is a guess: 7,500 documents where 1,900 would have done. */
const MAX_GROWTH = 8
/** Of a thousand. Where fewer fit, the index finds them sooner. */
const MIN_DENSITY = 4
/** Documents that are looked up one by one at less cost than those along the list. */
const MAX_FEW = 250
/** Of so many documents that fit, one whose item is wanted. */
const RARELY = 10
/** Documents that are written at a time where there are none yet. */
const BACKFILL = 500

/**
 * Ids of the items that fit, from the cursor on, in the order of the list. What is there is found, since its document is written first. Then
 * documents are looked at in the order of the list; where few of them fit the index is asked, for pieces of time that have no more than some
 * thousand candidates. So neither a frequent word nor a rare one, nor one that was frequent once, is looked for in everything.
 */
export async function findIds(db: Database, asked: Search, { cursor, isOlder, amount }: Part): Promise<string[]> {
  const { source } = asked
  let { low } = await catchUp(db, asked.team, source)
  const search = await withNoted(db, asked)
  const range = cursor === null ? search.range : rangeBehind(search.range, cursor, isOlder)
  if (range.from >= range.to) return []
  const deadline = new SearchDeadline(BEING_BUILT)
  const backfill = async () => {
    deadline.check()
    low = await indexBelow(db, search.team, source, BACKFILL)
  }
  while (!isOlder && low > range.from) await backfill()
  const found = await db.searching((trx) => findWithin(trx, search, { range, isOlder, amount }))
  // What is older has no documents yet: each search writes some, and the job goes on with it.
  while (found.length < amount && low > range.from) {
    const to = sooner(low, range.to)
    await backfill()
    const piece = { range: { from: later(low, range.from), to }, isOlder, amount: amount - found.length }
    if (piece.range.from < to) found.push(...(await db.searching((trx) => findWithin(trx, search, piece))))
  }
  return found
}

/** The conditions of what is noted, where all notes are in their documents. */
async function withNoted(db: Database, search: Search): Promise<Search> {
  const { noted = [], conditions, team, source } = search
  if (noted.length === 0 || !(await catchUpNotes(db, team, source))) return search
  return { ...search, conditions: [...conditions, ...noted] }
}

const rangeBehind = (range: IdRange, cursor: string, isOlder: boolean): IdRange =>
  isOlder
    ? { from: range.from, to: sooner(cursor, range.to) }
    : { from: later(behind(cursor), range.from), to: range.to }

async function findWithin(trx: Queryable, search: Search, given: Look): Promise<string[]> {
  const look = { ...given, range: overlapOf(given.range, idsOf(search)) }
  const amongFew = await findByWays(trx, search, { ...look, max: MAX_FEW })
  if (amongFew) return amongFew
  const listed = new ListScan(trx, search, look)
  for (const range of rangesOf(trx, search, look)) {
    const rest = await listed.through(range)
    if (rest !== null) await askIndex(trx, search, { ...look, range: rest, found: listed.found })
    if (rest !== null || listed.isDone || listed.found.length >= look.amount) break
  }
  return listed.found
}

/** Documents that have partitions are looked for in the newest ones first: an index of all times would read all lists of a word to answer for the last days. */
function rangesOf({ clock }: Queryable, { team, source }: Search, { range, isOlder }: Look): readonly IdRange[] {
  return source.documents === undefined ? [range] : nearAndFar(team, range, { isOlder, now: clock.now() })
}

/** Along the list, as long as a page fills up there. */
class ListScan {
  readonly #trx: Queryable
  readonly #search: Search
  readonly #look: Look
  #size = FIRST_SCAN
  #scanned = 0
  #hasAsked = false
  readonly found: string[] = []
  /** Nothing is left, in any range. */
  isDone = false

  constructor(trx: Queryable, search: Search, look: Look) {
    this.#trx = trx
    this.#search = search
    this.#look = look
  }

  /** Gives what is left, to the end of all ranges, where the index finds it sooner. */
  async through(whole: IdRange): Promise<IdRange | null> {
    const { isOlder } = this.#look
    for (let range = whole; ; ) {
      const size = this.#size
      const { ids, count, last, fitting } = await scan(this.#trx, this.#search, { ...this.#missing, range, size })
      this.found.push(...ids)
      if (this.#missing.amount <= 0 || count < size) return null
      range = restBehind(range, last!, isOlder)
      this.#scanned += size
      const few = (MIN_DENSITY * size) / 1_000
      // Words that many documents have, of items that are rare: the index would give all that have the words.
      if (!this.#hasAsked && fitting >= few && fitting >= RARELY * ids.length && (await this.#askWays(range)))
        return null
      if (ids.length < few || this.#scanned >= MAX_SCANNED) return this.#restFrom(range)
      const enough = Math.ceil((1.5 * size * this.#missing.amount) / ids.length)
      this.#size = Math.min(MAX_SCAN, MAX_GROWTH * size, Math.max(size, enough))
    }
  }

  /** For all that is left. */
  async #askWays(range: IdRange): Promise<boolean> {
    this.#hasAsked = true
    const look = { ...this.#missing, range: this.#restFrom(range) }
    const some = await findByWays(this.#trx, this.#search, { ...look, max: MAX_CANDIDATES })
    if (some) {
      this.found.push(...some)
      this.isDone = true
    }
    return some !== null
  }

  #restFrom(range: IdRange): IdRange {
    const { isOlder, range: whole } = this.#look
    return isOlder ? { ...range, from: whole.from } : { ...range, to: whole.to }
  }

  get #missing() {
    return { ...this.#look, amount: this.#look.amount - this.found.length }
  }
}
