import type { Queryable } from '../db/database.ts'
import { SearchDeadline } from './deadline.ts'
import type { Search } from './find.ts'
import { SLICES } from './lexemes.ts'
import { plain, type Question, questionsOf, SAMPLE } from './question.ts'
import { countPieces, growingWeeks, type IdRange, piecesOf, restBehind } from './ranges.ts'
import {
  type Answer,
  candidates,
  countEach,
  findByWays,
  type Look,
  MAX_CANDIDATES,
  scan,
  scopeOf,
  surroundings,
} from './statements.ts'

/** Documents that are looked at in one statement. */
export const MAX_SCAN = 10_000
/** Slices that a range is taken apart into at first. */
const MAX_PIECES = 64
/** Slices in one question: each of them costs the index some time for every document that it looks at. */
const MAX_MARKS = 16
/** Candidates that an answer is meant to have: the next slices may have some more. */
const FULL = 0.7 * MAX_CANDIDATES

/** Pieces of time that are asked for at first: most that is found is there, and to plan a question about all partitions takes longer than to ask two. */
const NEAR_PIECES = 2

/**
 * What fits and was not met along the list, into `found`. The index knows no order, and its answers have a limit: time in which there are too many
 * candidates is taken apart, and what is nearest is asked for first.
 */
export async function askIndex(
  trx: Queryable,
  search: Search,
  { found, ...look }: Look & { readonly found: string[] },
): Promise<void> {
  const questions = await chooseQuestions(trx, search, look)
  const index = new IndexSearch(trx, search, { look, questions, found })
  const pieces = index.piecesOf(look.range)
  await index.ask(pieces.slice(0, NEAR_PIECES))
  await index.ask(pieces.slice(NEAR_PIECES))
}

async function chooseQuestions(trx: Queryable, search: Search, look: Look): Promise<Question[]> {
  const { conditions } = search
  if (conditions.length < 2) return [plain(conditions)]
  return questionsOf(conditions, await countEach(trx, search, { ...look, size: SAMPLE }))
}

class IndexSearch {
  readonly #trx: Queryable
  readonly #search: Search
  readonly #look: Look
  /** Those that were not too much yet: the first one is asked. */
  readonly #questions: Question[]
  readonly #found: string[]
  readonly #deadline = new SearchDeadline('Search timed out; narrow it or retry.')
  #hasAskedWays = false
  /** All that is left was found otherwise. */
  #isDone = false

  constructor(
    trx: Queryable,
    search: Search,
    {
      look,
      questions,
      found,
    }: { readonly look: Look; readonly questions: readonly Question[]; readonly found: string[] },
  ) {
    this.#trx = trx
    this.#search = search
    this.#look = look
    this.#questions = [...questions]
    this.#found = found
  }

  get #rest() {
    const { isOlder, amount } = this.#look
    return { isOlder, amount: this.#isDone ? 0 : amount - this.#found.length }
  }

  /** Those that can be asked one after the other; without partitions there is one list of all times. */
  piecesOf(range: IdRange): IdRange[] {
    if (this.#search.source.documents === undefined) return [range]
    return growingWeeks(range, { isOlder: this.#look.isOlder, now: this.#trx.clock.now() })
  }

  /** Pieces of time, in the order of the list. */
  async ask(pieces: readonly IdRange[]): Promise<void> {
    for (let left = pieces; left.length > 0 && this.#rest.amount > 0; ) {
      const { size, done } = await this.#candidates(left, [])
      if (size <= MAX_CANDIDATES) return
      left = left.slice(done)
      if (this.#rest.amount <= 0) return
      if (this.#questions.length > 1) this.#questions.shift()
      else if (!(await this.#askWays(left))) {
        await this.#takeApart(left[0]!)
        left = left.slice(1)
      }
    }
  }

  async #candidates(pieces: readonly IdRange[], marks: readonly string[]): Promise<Answer> {
    this.#deadline.check()
    const look = {
      ...this.#rest,
      range: spanOf(pieces, this.#look.isOlder),
      pieces,
      marks,
      question: this.#questions[0]!,
    }
    const answer = await candidates(this.#trx, this.#search, look)
    this.#found.push(...answer.ids)
    return answer
  }

  /** Once, for all that is left. */
  async #askWays(left: readonly IdRange[]): Promise<boolean> {
    if (this.#hasAskedWays) return false
    this.#hasAskedWays = true
    const { isOlder, range } = this.#look
    const rest = isOlder ? { from: range.from, to: left[0]!.to } : { from: left[0]!.from, to: range.to }
    const some = await findByWays(this.#trx, this.#search, { ...this.#rest, range: rest, max: MAX_CANDIDATES })
    if (!some) return false
    this.#found.push(...some)
    this.#isDone = true
    return true
  }

  /** A piece with too many. */
  async #takeApart(piece: IdRange): Promise<void> {
    const pieces = this.piecesOf(piece)
    if (pieces.length > 1) return this.ask(pieces)
    const range = await surroundings(this.#trx, this.#search, piece)
    const level = Math.max(
      0,
      SLICES.findLastIndex((slice) => countPieces(range, slice) <= MAX_PIECES),
    )
    await this.#goThrough(range, level)
  }

  /** Slice by slice, as many in one question as have about as many candidates as an answer may have. */
  async #goThrough(range: IdRange, level: number): Promise<void> {
    const { isOlder } = this.#look
    const slices = piecesOf(scopeOf(this.#search), range, { slice: SLICES[level]!, isOlder })
    // Up to `crowded` there are too many. Where none of them is in the first part, all are in the other.
    let [amount, crowded] = [slices.length >> 2, slices.length]
    for (let at = 0; at < slices.length && this.#rest.amount > 0; ) {
      const some = slices.slice(at, at + Math.min(Math.max(1, amount), MAX_MARKS))
      const { size } = await this.#candidates(
        [
          spanOf(
            some.map((slice) => slice.range),
            isOlder,
          ),
        ],
        some.map(({ mark }) => mark),
      )
      if (size <= MAX_CANDIDATES) {
        at += some.length
        amount = Math.floor((some.length * FULL) / Math.max(1, size))
        if (size === 0 && at < crowded) amount = Math.min(amount, (crowded - at) >> 1)
      } else if (some.length > 1) {
        amount = some.length >> 1
        crowded = at + some.length
      } else {
        await this.#zoom(some[0]!.range, level + 1)
        at++
      }
    }
  }

  /** A slice in shorter ones. */
  async #zoom(range: IdRange, level: number): Promise<void> {
    if (level < SLICES.length) await this.#goThrough(range, level)
    else await this.#scanThrough(range)
  }

  /** A short time in which thousands fit: they are near each other. */
  async #scanThrough(whole: IdRange): Promise<void> {
    for (let range = whole; this.#rest.amount > 0; this.#deadline.check()) {
      const { ids, count, last } = await scan(this.#trx, this.#search, { ...this.#rest, range, size: MAX_SCAN })
      this.#found.push(...ids)
      if (count < MAX_SCAN) return
      range = restBehind(range, last!, this.#look.isOlder)
    }
  }
}

/** From the first of some pieces to the last. */
function spanOf(pieces: readonly IdRange[], isOlder: boolean): IdRange {
  const [first, last] = [pieces[0]!, pieces.at(-1)!]
  return isOlder ? { from: last.from, to: first.to } : { from: first.from, to: last.to }
}
