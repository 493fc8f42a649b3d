import type { Queryable } from '../db/database.ts'
import { SearchDeadline } from './deadline.ts'
import type { Search } from './find.ts'
import { SLICES } from './lexemes.ts'
import { plain, type Question, questionsOf, SAMPLE } from './question.ts'
import { countPieces, type IdRange, type Piece, piecesOf, restBehind } from './ranges.ts'
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

/** Slices of one length, the nearest first. */
interface Span {
  readonly pieces: readonly Piece[]
  /** Of `SLICES`. */
  readonly level: number
  /** Set: what the index has said about the same documents. */
  readonly answer?: Answer
  /** To be halved: the nearest candidate that was known has not led to the nearest one. */
  readonly isHalved?: boolean
}

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
  for (const question of questions) {
    const index = new IndexSearch(trx, search, { look, question, found })
    const answer = await index.ask(look.range, [])
    if (answer.size <= MAX_CANDIDATES) return
    if (question === questions.at(-1)) await index.askByTime(answer)
  }
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
  readonly #question: Question
  readonly #found: string[]
  readonly #deadline = new SearchDeadline('Search timed out; narrow it or retry.')

  constructor(
    trx: Queryable,
    search: Search,
    { look, question, found }: { readonly look: Look; readonly question: Question; readonly found: string[] },
  ) {
    this.#trx = trx
    this.#search = search
    this.#look = look
    this.#question = question
    this.#found = found
  }

  get #rest() {
    const { isOlder, amount } = this.#look
    return { isOlder, amount: amount - this.#found.length }
  }

  /** Of all time, or of slices. */
  async ask(range: IdRange, marks: readonly string[]): Promise<Answer> {
    this.#deadline.check()
    const look = { ...this.#rest, range, marks, question: this.#question }
    const answer = await candidates(this.#trx, this.#search, look)
    this.#found.push(...answer.ids)
    return answer
  }

  /** Where there are too many of all time. */
  async askByTime(answer: Answer): Promise<void> {
    const look = { ...this.#rest, range: this.#look.range, max: MAX_CANDIDATES }
    const some = await findByWays(this.#trx, this.#search, look)
    if (some) {
      this.#found.push(...some)
      return
    }
    const range = await surroundings(this.#trx, this.#search, this.#look.range)
    const level = Math.max(
      0,
      SLICES.findLastIndex((slice) => countPieces(range, slice) <= MAX_PIECES),
    )
    const pieces = this.#piecesOf(range, SLICES[level]!)
    if (pieces.length > 0) await this.#go({ pieces, level, answer })
  }

  #piecesOf(range: IdRange, slice: number): Piece[] {
    return piecesOf(scopeOf(this.#search), range, { slice, isOlder: this.#look.isOlder })
  }

  /** Gives how many candidates there are, or one more than there may be. */
  async #go(span: Span): Promise<number> {
    const { pieces, level } = span
    const answer = span.answer ?? (await this.#askFor(pieces))
    if (answer.size <= MAX_CANDIDATES) return answer.size
    if (pieces.length > 1) await this.#split(span, answer)
    else await this.#zoom(pieces[0]!.range, level + 1, answer)
    return answer.size
  }

  #askFor(pieces: readonly Piece[]): Promise<Answer> {
    const [first, last] = [pieces[0]!.range, pieces.at(-1)!.range]
    const range = this.#look.isOlder ? { from: last.from, to: first.to } : { from: first.from, to: last.to }
    const marks = pieces.map(({ mark }) => mark)
    return this.ask(range, marks)
  }

  /**
   * The nearer part, then the other one. Of too many candidates some are known: mostly nothing is nearer than the nearest of these, and one question
   * shows that. Otherwise each further question halves the time.
   */
  async #split({ pieces, level, isHalved = false }: Span, answer: Answer): Promise<void> {
    const { near } = answer
    const known =
      near === null || isHalved ? -1 : pieces.findIndex(({ range }) => range.from <= near && near < range.to)
    const cut = Math.min(known < 0 ? pieces.length >> 1 : Math.max(1, known), MAX_MARKS)
    const nearer = await this.#go({ pieces: pieces.slice(0, cut), level, isHalved: true })
    if (this.#rest.amount <= 0) return
    await this.#go({ pieces: pieces.slice(cut), level, ...(nearer === 0 && { answer }) })
  }

  /** A slice in shorter ones. */
  async #zoom(range: IdRange, level: number, answer: Answer): Promise<void> {
    const slice = SLICES[level]
    if (slice === undefined) await this.#scanThrough(range)
    else await this.#go({ pieces: this.#piecesOf(range, slice), level, answer })
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
