import { ClaimCursor } from '../../../kernel/db/claim-cursor.ts'
import type { Database } from '../../../kernel/db/database.ts'
import type { WorkerShell } from '../../../kernel/db/worker-shell.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Lines } from './lines.ts'
import { type Claimed, claimDue, claimParked } from './queries.ts'

const CLAIM_ROWS = 100
/** Far more than two cores can sign at a time, so that slow destinations do not keep the fast ones from their work. */
const ROWS_IN_HAND = 1_000
/** What others take their time with is not what keeps this process busy, up to a point: then it takes up nothing more. */
const SLOW_MS = 5_000
const SLOW_ROWS = 1_000
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
  readonly #shell: WorkerShell<Claimed>
  readonly #lines: Lines
  readonly #cursors = PRIORITIES.map(() => new ClaimCursor())
  #isStarving = false

  constructor(parts: { db: Database; clock: Clock; lines: Lines }, shell: WorkerShell<Claimed>) {
    this.#db = parts.db
    this.#clock = parts.clock
    this.#lines = parts.lines
    this.#shell = shell
  }

  /** There may be due rows that were not claimed for want of room. */
  get isStarving(): boolean {
    return this.#isStarving
  }

  /** Whether what was not claimed for want of room, or of a place in line, can be now. */
  get isRoomForMore(): boolean {
    const isRoom = this.#hasRoom(KEPT_FREE)
    return (this.#isStarving && isRoom) || this.#lines.withRoom(1).length > 0
  }

  /** What is due, by priority, and whether there is more that there is room for. */
  async due(): Promise<{ batches: (readonly Claimed[])[]; isMore: boolean }> {
    const limit = this.#atMost(CLAIM_ROWS)
    const open = PRIORITIES.filter(({ keptFree }) => this.#hasRoom(keptFree))
    this.#isStarving = open.length < PRIORITIES.length
    if (open.length === 0) return { batches: [], isMore: false }
    const now = this.#clock.now()
    const begin = performance.now()
    const of = open.map(({ priority }) => ({ priority, limit, ...this.#cursors[priority]!.begin() }))
    const rows = await this.#shell.claim((node) => claimDue(this.#db, { node, now, of }))
    const tookMs = performance.now() - begin
    const batches = of.map((part) => {
      const own = rows.filter(({ priority }) => priority === part.priority)
      const found = own.map(({ dueAt }) => dueAt)
      this.#cursors[part.priority]!.finish(part, { found, limit: part.limit, now, tookMs })
      return own
    })
    return {
      batches: batches.filter(({ length }) => length > 0),
      isMore: batches.some(({ length }) => length === limit),
    }
  }

  /** What waits in the ledger for a place in line, as far as there are places. */
  async parked(): Promise<readonly Claimed[]> {
    const of = this.#lines.withRoom(this.#atMost(CLAIM_ROWS))
    if (of.length === 0 || !this.#hasRoom(0)) return []
    const rows = await this.#shell.claim((node) => claimParked(this.#db, { node, of }))
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

  /** For a whole claim, and for some more that are kept free. */
  #hasRoom(keptFree: number): boolean {
    const { inHand } = this.#shell
    const busy = inHand.size - inHand.countOlderThan(SLOW_MS, SLOW_ROWS)
    return this.#atMost(ROWS_IN_HAND) - this.#atMost(keptFree) - busy >= this.#atMost(CLAIM_ROWS)
  }

  /** A node whose heartbeats are late may be called dead: it holds less that would have to be given back. */
  #atMost(rows: number): number {
    return Math.ceil(rows * this.#db.presence.claimShare)
  }
}
