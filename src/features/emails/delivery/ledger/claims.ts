import { ClaimCursor } from '../../../../kernel/db/claim-cursor.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import type { WorkerShell } from '../../../../kernel/db/worker-shell.ts'
import { JOBS_CHANNEL } from '../../../../kernel/jobs/queries.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { DestinationQueues } from '../transport/destination-queues.ts'
import type { DestinationStops } from '../transport/destination-stops.ts'
import { type Claimed, claimDue, claimParked, DELIVERIES_CHANNEL } from './queries.ts'

const CLAIM_ROWS = 100
/** Far more than two cores can sign at a time, so that slow destinations do not keep the fast ones from their work. */
const MAX_IN_FLIGHT = 1_000
/** What others take their time with is not what keeps this process busy, up to a point: then it takes up nothing more. */
const SLOW_MS = 5_000
const MAX_SLOW = 1_000
/** Room that mail to many must leave: a password reset is taken up also while a newsletter fills all hands. */
const RESERVED_SLOTS = 200
const MIN_COPIES = 300

/** Of mail whose predecessors asked nobody so many are fetched at most to find out about its destination. */
const MAX_PROBE_ROWS = 100

/** Mail that is to find out whether a destination takes mail again. */
interface Probe {
  readonly destination: string
  /** Of each priority. */
  readonly rows: number
  /** In flight. */
  left: number
  /** Some of it waits for the destination again: no other is to go in its place. */
  isParkedAgain: boolean
}

/** What one person waits for, then what goes to many. */
const PRIORITIES = [
  { priority: 0, reserved: 0 },
  { priority: 1, reserved: RESERVED_SLOTS },
] as const

/** Takes rows out of the ledger for one process, no more than it has room for. */
export class Claims {
  readonly #db: Database
  readonly #clock: Clock
  readonly #shell: WorkerShell<Claimed>
  readonly #queues: DestinationQueues
  readonly #stops: Pick<DestinationStops, 'takeProbes' | 'isProbing' | 'ended'> | null
  readonly #probes = new Map<Claimed, Probe>()
  /** Destinations that this node is to find out about, and about which its mail has asked nobody. With how much of it is fetched next. */
  readonly #unasked = new Map<string, number>()
  readonly #cursors = PRIORITIES.map(() => new ClaimCursor())
  #isStarving = false
  /** By priority: something due may wait in the ledger, until a claim has found less than it could have taken. */
  readonly #hasBacklog = PRIORITIES.map(() => true)
  readonly #wasPassedOver = PRIORITIES.map(() => false)

  constructor(
    parts: {
      db: Database
      clock: Clock
      queues: DestinationQueues
      stops?: Pick<DestinationStops, 'takeProbes' | 'isProbing' | 'ended'> | undefined
    },
    shell: WorkerShell<Claimed>,
  ) {
    this.#db = parts.db
    this.#clock = parts.clock
    this.#queues = parts.queues
    this.#stops = parts.stops ?? null
    this.#shell = shell
  }

  /** There may be due rows that were not claimed for want of room. */
  get isStarving(): boolean {
    return this.#isStarving
  }

  /** Whether what was not claimed for want of room, or of a free slot, can be now. */
  get canClaimMore(): boolean {
    const hasCapacity = this.#hasCapacity(RESERVED_SLOTS)
    return (this.#isStarving && hasCapacity) || this.#unasked.size > 0 || this.#queues.withFreeSlots(1).length > 0
  }

  /** Whether other processes deliver as well: what this one leaves in the ledger is for them, too. */
  get hasPeers(): boolean {
    return this.#db.presence.others.some(({ works }) => works.includes(DELIVERIES_CHANNEL))
  }

  /** Whether all of these make copies of broadcasts as well: then each makes those that it has slots for, and the ledger need not share them out. */
  get sharesExpansions(): boolean {
    const peers = this.#db.presence.others.filter(({ works }) => works.includes(DELIVERIES_CHANNEL))
    return peers.length > 0 && peers.every(({ works }) => works.includes(JOBS_CHANNEL))
  }

  /** Whether what is accepted in this process could go straight through, if there were free slots. */
  get canHoldNew(): boolean {
    return this.#shell.canHoldNew
  }

  /**
   * How many new rows of priority 0 may be written as held by this node, which holds `count` such already. None while others like
   * them wait in the ledger: they would overtake. The loop claims at least once in a second, so a backlog is known that soon. Where other
   * processes deliver as well, all beyond what one claim takes is for whoever has room.
   */
  newRowsBeside(count: number): number {
    if (this.#hasBacklog[0] || !this.#shell.canHoldNew || !this.#hasCapacity(0)) return 0
    return Math.min(this.#atMost(CLAIM_ROWS), this.#atMost(this.hasPeers ? CLAIM_ROWS : MAX_IN_FLIGHT) - count)
  }

  /**
   * The same of priority 1. They leave slots for a claim, also for one of their own priority: what waits in the ledger, or comes back to it, is
   * found however many of them there are.
   */
  newCopiesBeside(count: number): number {
    if (this.#hasBacklog[1] || !this.#shell.canHoldNew) return 0
    const free = this.#atMost(MAX_IN_FLIGHT) - this.#atMost(RESERVED_SLOTS) - this.#atMost(CLAIM_ROWS) - this.#busy
    const isForLedger = this.hasPeers && !this.sharesExpansions
    return Math.max(0, isForLedger ? Math.min(free, this.#atMost(CLAIM_ROWS) - count) : free)
  }

  /** Copies that are worth a batch: while it is written, as many others are on their way. */
  get minCopies(): number {
    return this.#atMost(MIN_COPIES)
  }

  /** A new row goes into the ledger for want of room: those behind it wait until a claim has found it. */
  passOver(priority: 0 | 1 = 0) {
    this.#hasBacklog[priority] = true
    this.#wasPassedOver[priority] = true
  }

  /** What is due, by priority, and whether there is more that there is room for. */
  async due(): Promise<{ batches: (readonly Claimed[])[]; isMore: boolean }> {
    const limit = this.#atMost(CLAIM_ROWS)
    const open = PRIORITIES.filter(({ reserved }) => this.#hasCapacity(reserved))
    this.#isStarving = open.length < PRIORITIES.length
    for (const { priority, reserved } of PRIORITIES) {
      this.#wasPassedOver[priority] = false
      // Nobody looks whether there is one.
      if (!this.#hasCapacity(reserved)) this.#hasBacklog[priority] = true
    }
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
      this.#hasBacklog[part.priority] = this.#wasPassedOver[part.priority]! || own.length === part.limit
      return own
    })
    return {
      batches: batches.filter(({ length }) => length > 0),
      isMore: batches.some(({ length }) => length === limit),
    }
  }

  /**
   * What waits in the ledger for a slot of its destination, as far as there are free ones. Of a destination that is stopped a message of each
   * priority, when it is time to find out whether it takes mail again.
   */
  async parked(): Promise<readonly Claimed[]> {
    if (!this.#hasCapacity(0)) return []
    const unasked = [...this.#unasked].filter(([destination]) => this.#stops!.isProbing(destination))
    this.#unasked.clear()
    const taken = (await this.#stops?.takeProbes()) ?? []
    const probed = new Map([...unasked, ...taken.map((destination) => [destination, 1] as const)])
    const of = this.#queues.withFreeSlots(this.#atMost(CLAIM_ROWS))
    if (of.length + probed.size === 0) return []
    const probes = [...probed].flatMap(([destination, limit]) =>
      PRIORITIES.map(({ priority }) => ({ queue: { destination, priority }, limit })),
    )
    const rows = await this.#shell.claim((node) => claimParked(this.#db, { node, of: [...of, ...probes] }))
    this.#addProbes(rows, probed)
    for (const one of of) {
      const isOfQueue = ({ parkedFor, priority }: (typeof rows)[number]) =>
        parkedFor === one.queue.destination && priority === one.queue.priority
      this.#queues.fetched(one, rows.filter(isOfQueue).length)
    }
    const tried = new Set(rows.map(({ parkedFor }) => parkedFor))
    const without = [...probed.keys()].filter((destination) => !tried.has(destination))
    if (without.length > 0) this.#stops!.ended(without, this.#clock.now())
    return rows
  }

  #addProbes(rows: readonly Claimed[], probed: ReadonlyMap<string, number>) {
    for (const [destination, limit] of probed) {
      const own = rows.filter(({ parkedFor }) => parkedFor === destination)
      const probe = { destination, rows: limit, left: own.length, isParkedAgain: false }
      for (const row of own) this.#probes.set(row, probe)
    }
  }

  /** It goes back to the ledger, and may be fetched as soon as there is room. */
  parkedAgain(row: Claimed) {
    const probe = this.#probes.get(row)
    if (probe) probe.isParkedAgain = true
  }

  /**
   * Rows are not in flight any more. When all that was to find out about a destination has asked nobody, since it is held, suppressed or of a
   * suspended team, the next is fetched at once, and twice as much of it: its kind may be what waits there.
   */
  removed(rows: Iterable<Claimed>) {
    if (this.#probes.size === 0) return
    for (const row of rows) {
      const probe = this.#probes.get(row)
      if (!probe) continue
      this.#probes.delete(row)
      probe.left--
      if (probe.left > 0 || probe.isParkedAgain || !this.#stops!.isProbing(probe.destination)) continue
      this.#unasked.set(probe.destination, Math.min(MAX_PROBE_ROWS, 2 * probe.rows))
    }
  }

  /** Something has come back that was due long ago. */
  resetCursors() {
    for (const { priority } of PRIORITIES) this.passOver(priority)
    for (const cursor of this.#cursors) cursor.reset()
  }

  /** For a whole claim, and for the slots that are reserved. */
  #hasCapacity(reserved: number): boolean {
    return this.#atMost(MAX_IN_FLIGHT) - this.#atMost(reserved) - this.#busy >= this.#atMost(CLAIM_ROWS)
  }

  /** Rows in flight, without those that others take their time with. */
  get #busy(): number {
    const { inFlight } = this.#shell
    return inFlight.size - inFlight.countOlderThan(SLOW_MS, MAX_SLOW)
  }

  /** A node whose heartbeats are late may be called dead: it holds less that would have to be given back. */
  #atMost(rows: number): number {
    return Math.ceil(rows * this.#db.presence.claimShare)
  }
}
