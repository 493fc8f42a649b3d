import type { Clock } from '../platform/clock.ts'
import { ClaimCursor } from '../platform/db/claim-cursor.ts'
import type { Database } from '../platform/db/database.ts'
import { LostClaims } from '../platform/db/lost-claims.ts'
import type { InHand } from './in-hand.ts'
import type { Lines } from './lines.ts'
import { type Claimed, claimDue, claimParked, releaseUnknown } from './queries.ts'

const CLAIM_ROWS = 100
/** Room that mail to many must leave: a password reset is taken up also while a newsletter fills all hands. */
const KEPT_FREE = 200

/** What one person waits for, then what goes to many. */
const PRIORITIES = [
  { priority: 0, keptFree: 0 },
  { priority: 1, keptFree: KEPT_FREE },
]

/** Takes rows out of the ledger for one process, no more than it has room for. */
export class Claims {
  readonly #db: Database
  readonly #clock: Clock
  readonly #inHand: InHand
  readonly #lines: Lines
  readonly #lost = new LostClaims()
  readonly #cursors = PRIORITIES.map(() => new ClaimCursor())
  #isStarving = false

  constructor(parts: { db: Database; clock: Clock; inHand: InHand; lines: Lines }) {
    this.#db = parts.db
    this.#clock = parts.clock
    this.#inHand = parts.inHand
    this.#lines = parts.lines
  }

  /** There may be due rows that were not claimed for want of room. */
  get isStarving(): boolean {
    return this.#isStarving
  }

  /** Whether what was not claimed for want of room, or of a place in line, can be now. */
  get isRoomForMore(): boolean {
    const isRoom = this.#inHand.hasRoomFor(CLAIM_ROWS, { keptFree: KEPT_FREE })
    return (this.#isStarving && isRoom) || this.#lines.withRoom(1).length > 0
  }

  /** What is due, by priority, and whether there is more that there is room for. */
  async due(): Promise<{ batches: (readonly Claimed[])[]; isMore: boolean }> {
    const open = PRIORITIES.filter(({ keptFree }) => this.#inHand.hasRoomFor(CLAIM_ROWS, { keptFree }))
    this.#isStarving = open.length < PRIORITIES.length
    if (open.length === 0) return { batches: [], isMore: false }
    const now = this.#clock.now()
    const begin = performance.now()
    const of = open.map(({ priority }) => ({ priority, limit: CLAIM_ROWS, ...this.#cursors[priority]!.begin() }))
    const rows = await this.#claim((node) => claimDue(this.#db, { node, now, of }))
    const tookMs = performance.now() - begin
    const batches = of.map((part) => {
      const own = rows.filter(({ priority }) => priority === part.priority)
      const isFull = own.length === part.limit
      const upTo = isFull ? new Date(Math.max(...own.map(({ dueAt }) => dueAt.getTime()))) : now
      this.#cursors[part.priority]!.finish(part, { upTo, tookMs })
      return own
    })
    return {
      batches: batches.filter(({ length }) => length > 0),
      isMore: batches.some(({ length }) => length === CLAIM_ROWS),
    }
  }

  /** What waits in the ledger for a place in line, as far as there are places. */
  async parked(): Promise<readonly Claimed[]> {
    const of = this.#lines.withRoom(CLAIM_ROWS)
    if (of.length === 0 || !this.#inHand.hasRoomFor(CLAIM_ROWS)) return []
    const rows = await this.#claim((node) => claimParked(this.#db, { node, of }))
    for (const one of of) {
      const isOfLine = ({ parkedFor, priority }: (typeof rows)[number]) =>
        parkedFor === one.line.destination && priority === one.line.priority
      this.#lines.fetched(one, rows.filter(isOfLine).length)
    }
    return rows
  }

  /** Something has come back that was due long ago. */
  lookFromTheBeginning() {
    for (const cursor of this.#cursors) cursor.reset()
  }

  /** There may be rows that are held and not in hand. */
  suspect() {
    this.#lost.suspect()
  }

  async #claim<Row extends Claimed>(claim: (node: number) => Promise<Row[]>): Promise<Row[]> {
    const { node } = this.#db.presence
    const giveBack = async () => void (await releaseUnknown(this.#db, node, this.#inHand))
    const rows = await this.#lost.claim(() => claim(node), giveBack)
    this.#inHand.add(rows)
    return rows
  }
}
