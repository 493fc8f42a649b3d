import { ClaimCursor } from '../../../../kernel/db/claim-cursor.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import type { WorkerShell } from '../../../../kernel/db/worker-shell.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { DestinationQueues } from '../transport/destination-queues.ts'
import { type Claimed, claimDue, claimParked, DELIVERIES_CHANNEL } from './queries.ts'

const CLAIM_ROWS = 100
/** Far more than two cores can sign at a time, so that slow destinations do not keep the fast ones from their work. */
const MAX_IN_FLIGHT = 1_000
/** What others take their time with is not what keeps this process busy, up to a point: then it takes up nothing more. */
const SLOW_MS = 5_000
const MAX_SLOW = 1_000
/** Room that mail to many must leave: a password reset is taken up also while a newsletter fills all hands. */
const RESERVED_SLOTS = 200

/** What one person waits for, then what goes to many. */
const PRIORITIES = [
  { priority: 0, reserved: 0 },
  { priority: 1, reserved: RESERVED_SLOTS },
]

/** Takes rows out of the ledger for one process, no more than it has room for. */
export class Claims {
  readonly #db: Database
  readonly #clock: Clock
  readonly #shell: WorkerShell<Claimed>
  readonly #queues: DestinationQueues
  readonly #cursors = PRIORITIES.map(() => new ClaimCursor())
  #isStarving = false
  /** Something due of priority 0 may wait in the ledger: until a claim has found less than it could have taken. */
  #hasBacklog = true
  #wasPassedOver = false

  constructor(parts: { db: Database; clock: Clock; queues: DestinationQueues }, shell: WorkerShell<Claimed>) {
    this.#db = parts.db
    this.#clock = parts.clock
    this.#queues = parts.queues
    this.#shell = shell
  }

  /** There may be due rows that were not claimed for want of room. */
  get isStarving(): boolean {
    return this.#isStarving
  }

  /** Whether what was not claimed for want of room, or of a free slot, can be now. */
  get canClaimMore(): boolean {
    const hasCapacity = this.#hasCapacity(RESERVED_SLOTS)
    return (this.#isStarving && hasCapacity) || this.#queues.withFreeSlots(1).length > 0
  }

  /**
   * How many new rows of priority 0 may be written as held by this node, which holds `count` such already. None while others like
   * them wait in the ledger: they would overtake. The loop claims at least once in a second, so a backlog is known that soon. Where other
   * processes deliver as well, all beyond what one claim takes is for whoever has room.
   */
  newRowsBeside(count: number): number {
    if (this.#hasBacklog || !this.#shell.canHoldNew || !this.#hasCapacity(0)) return 0
    const hasPeers = this.#db.presence.others.some(({ works }) => works.includes(DELIVERIES_CHANNEL))
    return Math.min(this.#atMost(CLAIM_ROWS), this.#atMost(hasPeers ? CLAIM_ROWS : MAX_IN_FLIGHT) - count)
  }

  /** A new row of priority 0 goes into the ledger for want of room: those behind it wait until a claim has found it. */
  passOver() {
    this.#hasBacklog = true
    this.#wasPassedOver = true
  }

  /** What is due, by priority, and whether there is more that there is room for. */
  async due(): Promise<{ batches: (readonly Claimed[])[]; isMore: boolean }> {
    const limit = this.#atMost(CLAIM_ROWS)
    const open = PRIORITIES.filter(({ reserved }) => this.#hasCapacity(reserved))
    this.#isStarving = open.length < PRIORITIES.length
    this.#wasPassedOver = false
    if (open.length === 0) {
      this.#hasBacklog = true
      return { batches: [], isMore: false }
    }
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
    this.#hasBacklog = this.#wasPassedOver || batches[0]!.length === limit
    return {
      batches: batches.filter(({ length }) => length > 0),
      isMore: batches.some(({ length }) => length === limit),
    }
  }

  /** What waits in the ledger for a slot of its destination, as far as there are free ones. */
  async parked(): Promise<readonly Claimed[]> {
    const of = this.#queues.withFreeSlots(this.#atMost(CLAIM_ROWS))
    if (of.length === 0 || !this.#hasCapacity(0)) return []
    const rows = await this.#shell.claim((node) => claimParked(this.#db, { node, of }))
    for (const one of of) {
      const isOfQueue = ({ parkedFor, priority }: (typeof rows)[number]) =>
        parkedFor === one.queue.destination && priority === one.queue.priority
      this.#queues.fetched(one, rows.filter(isOfQueue).length)
    }
    return rows
  }

  /** Something has come back that was due long ago. */
  resetCursors() {
    this.passOver()
    for (const cursor of this.#cursors) cursor.reset()
  }

  /** For a whole claim, and for the slots that are reserved. */
  #hasCapacity(reserved: number): boolean {
    const { inFlight } = this.#shell
    const busy = inFlight.size - inFlight.countOlderThan(SLOW_MS, MAX_SLOW)
    return this.#atMost(MAX_IN_FLIGHT) - this.#atMost(reserved) - busy >= this.#atMost(CLAIM_ROWS)
  }

  /** A node whose heartbeats are late may be called dead: it holds less that would have to be given back. */
  #atMost(rows: number): number {
    return Math.ceil(rows * this.#db.presence.claimShare)
  }
}
