import type { Database } from '../../kernel/db/database.ts'
import { readMoment } from '../../kernel/http/moment.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { firstIdAt, isId } from '../../platform/ids.ts'
import { type Cursor, cursorAt, isBehind, type Position, readBehind, readSince } from './arrivals.ts'
import { findFitting, fitting, SearchDeadline } from './finding.ts'
import { type Head, type MessageFilter, matcherFor } from './match.ts'
import { findHeads } from './queries.ts'

/** From where on messages count. */
export type After =
  | { readonly kind: 'all' }
  /** Those that came behind a message whose position is known, or whose id is greater. */
  | { readonly kind: 'message'; readonly id: string; readonly cursor: Cursor | null }
  | { readonly kind: 'moment'; readonly moment: Date }

const PIECE = 200

export async function readAfter(db: Database, team: string, text: string | undefined): Promise<After> {
  if (text === undefined) return { kind: 'all' }
  if (isId(text)) return { kind: 'message', id: text.toLowerCase(), cursor: await cursorAt(db, team, text) }
  if (!/^\d{4}-/.test(text))
    throw new Problem('invalid_parameter', 'The `after` must be the id of a message, or a time in ISO 8601.')
  return { kind: 'moment', moment: readMoment('after', text) }
}

/** Whether a message counts that has just come: by the same as who finds it there. */
export function counts(after: After, head: Head, position: Position): boolean {
  if (after.kind === 'all') return true
  if (after.kind === 'moment') return position.event >= firstIdAt(after.moment, head.team)
  return after.cursor ? isBehind(position, after.cursor) : head.id > after.id
}

/**
 * Messages that are there and fit, in the order in which they came: behind a message the next ones, so that who goes on from one to
 * the next leaves none out, and otherwise the latest.
 */
export async function findThere(
  db: Database,
  team: string,
  { filter, after, amount }: { filter: MessageFilter; after: After; amount: number },
): Promise<Head[]> {
  if (after.kind === 'all')
    return (await findFitting(db, team, { filter, cursor: null, isOlder: true, amount })).reverse()
  if (after.kind === 'moment')
    return (await findSince(new Finding(db, team, { filter, amount }), after.moment)).reverse()
  if (after.cursor) return findBehind(new Finding(db, team, { filter, amount }), after.cursor)
  return findFitting(db, team, { filter, cursor: after.id, isOlder: false, amount })
}

async function findBehind(found: Finding, cursor: Cursor): Promise<Head[]> {
  const { db, team } = found
  for (let last: Position | null = null; !found.isEnough; ) {
    const piece: (Position & { id: string })[] = await readBehind(db, team, cursor, { last, size: PIECE })
    await found.add(piece)
    if (piece.length < PIECE) break
    last = piece.at(-1)!
  }
  return found.heads
}

async function findSince(found: Finding, moment: Date): Promise<Head[]> {
  const { db, team } = found
  for (let before: string | null = null; !found.isEnough; ) {
    const piece: { id: string; event: string }[] = await readSince(db, team, { moment, before, size: PIECE })
    await found.add(piece)
    if (piece.length < PIECE) break
    before = piece.at(-1)!.event
  }
  return found.heads
}

/** What fits of pieces of ids, in their order. */
class Finding {
  readonly heads: Head[] = []
  readonly #matcher
  readonly #deadline = new SearchDeadline()
  readonly db: Database
  readonly team: string
  readonly #amount: number

  constructor(db: Database, team: string, { filter, amount }: { filter: MessageFilter; amount: number }) {
    this.db = db
    this.team = team
    this.#matcher = matcherFor(filter)
    this.#amount = amount
  }

  get isEnough(): boolean {
    return this.heads.length >= this.#amount
  }

  async add(piece: readonly { readonly id: string }[]) {
    if (piece.length === 0) return
    const known = await findHeads(
      this.db,
      piece.map(({ id }) => ({ team: this.team, id })),
    )
    const byId = new Map(known.map((head) => [head.id, head]))
    const heads = piece.flatMap(({ id }) => byId.get(id) ?? [])
    const [matcher, deadline] = [this.#matcher, this.#deadline]
    const amount = this.#amount - this.heads.length
    this.heads.push(...(await fitting(this.db, this.team, { matcher, heads, amount, deadline })))
  }
}
