import { Semaphore } from '../../../../platform/concurrency/semaphore.ts'

/** A destination has two queues: one for transactional mail, one for broadcasts. */
export interface QueueKey {
  readonly destination: string
  readonly priority: number
}

/** The queue has no free slot: the mail waits in the ledger, and is fetched when there is one. */
export interface Parked {
  readonly kind: 'parked'
  readonly queue: QueueKey
  /** When it is due without having been fetched. */
  readonly seconds: number
}

/**
 * A slot in the queue of a destination: held from before the message is built until its answer was heard, or takes so long that others
 * go on without it.
 */
export interface Slot {
  readonly kind: 'reserved'
  /** The share of one queue in the memory for mail. */
  readonly memory: Semaphore
  /** Once, however often it is called. */
  release(): void
}

/** Enough to keep a connection busy. Of a destination that hangs, this many for each are in flight. */
const SLOTS_PER_CONNECTION = 5
const MAX_SLOTS = 400
/** A queue in which no message waits longer than this may grow; one in which one does has to shrink. */
const QUICK_MS = 2_000
const SLOW_MS = 5_000

/**
 * Nobody claims what is parked, and it costs nothing: every process looks once in a minute for which queues there is some. Should all of them
 * overlook it, it comes back by itself.
 */
export const PARKED_SECONDS = 24 * 3_600

/** So many queues are looked after at a time: what is parked for others is found when some of these are empty. */
const MAX_QUEUES_WITH_PARKED = 2_000

/** So many destinations that hang leave memory for others. */
const MEMORY_SHARES = 8

interface DestinationQueue {
  readonly key: QueueKey
  readonly memory: Semaphore
  slots: number
  taken: number
  /** Roughly how many are in the ledger. */
  parked: number
  /** Counts what was parked: tells whether the last read of the ledger still holds. */
  parkVersion: number
}

/**
 * A concurrency limit for each destination, against head-of-line blocking: a destination that answers slowly would otherwise have all of
 * this process, rows in flight as well as memory, and mail to everybody else would wait. A queue begins short, grows with each answer
 * that comes quickly and is halved by one that does not.
 */
export class DestinationQueues {
  readonly #queues = new Map<string, DestinationQueue>()
  readonly #withParked = new Set<DestinationQueue>()
  readonly #memoryBytes: number
  readonly #minSlots: number
  readonly #maxSlots: number
  readonly #room: (destination: string) => number
  readonly #leave: ((key: QueueKey) => boolean) | undefined
  readonly #isStopped: (destination: string) => boolean

  constructor(options: {
    memoryBytes: number
    /** To one destination at once. */
    connections: number
    /** How much the destination would take now; 0: it is to be left alone, and nothing is fetched for it. */
    room(destination: string): number
    /** Leaves what is parked to another process, which is told of it; false: it is this one's to fetch. */
    leave?(key: QueueKey): boolean
    /** The destination takes nothing until somebody says so, and `parked` is called then. */
    isStopped?(destination: string): boolean
  }) {
    this.#memoryBytes = options.memoryBytes
    this.#minSlots = options.connections * SLOTS_PER_CONNECTION
    this.#maxSlots = Math.max(MAX_SLOTS, this.#minSlots)
    this.#room = options.room
    this.#leave = options.leave
    this.#isStopped = options.isStopped ?? (() => false)
  }

  /** Mail that was not parked stands behind the mail that is. */
  reserve(key: QueueKey, { isFetched }: { isFetched: boolean }): Slot | Parked {
    const queue = this.#queueOf(key)
    const isFull = queue.taken >= queue.slots || (queue.parked > 0 && !isFetched)
    if (isFull) return this.park(key)
    queue.taken++
    const since = performance.now()
    let isTaken = true
    const release = () => {
      if (isTaken) this.#release(queue, performance.now() - since)
      isTaken = false
    }
    return { kind: 'reserved', memory: queue.memory, release }
  }

  /** Back into the ledger until the destination has a free slot, or can be talked to. */
  park(key: QueueKey): Parked {
    return { kind: 'parked', queue: key, seconds: PARKED_SECONDS }
  }

  /** Mail is in the ledger for this queue, and can be fetched. */
  parked(key: QueueKey) {
    if (this.#isStopped(key.destination)) return
    if (this.#leave?.(key)) return
    // It may have emptied meanwhile.
    const queue = this.#queueOf(key)
    if (this.#withParked.size >= MAX_QUEUES_WITH_PARKED && !this.#withParked.has(queue)) return
    queue.parked++
    queue.parkVersion++
    this.#withParked.add(queue)
  }

  /** The queues that have something parked and are half empty, with how much each has room for, until that comes to `most`. */
  withFreeSlots(most: number): Fetch[] {
    const fetches: Fetch[] = []
    let left = most
    for (const queue of this.#withParked) {
      const { key, slots, taken, parkVersion } = queue
      if (left <= 0) break
      if (this.#isStopped(key.destination)) {
        this.#forgetParked(queue)
        continue
      }
      if (taken > slots / 2) continue
      const limit = Math.min(slots - taken, left, this.#room(key.destination))
      if (limit < 1) continue
      fetches.push({ queue: key, limit, parkVersion })
      left -= limit
    }
    return fetches
  }

  /** So much was found. Less than was asked for is all there was, unless something came meanwhile. */
  fetched({ queue: key, limit, parkVersion }: Fetch, found: number) {
    const queue = this.#queues.get(keyOf(key))
    if (!queue) return
    queue.parked = Math.max(1, queue.parked - found)
    if (found >= limit || queue.parkVersion !== parkVersion) return
    this.#forgetParked(queue)
  }

  #forgetParked(queue: DestinationQueue) {
    queue.parked = 0
    this.#withParked.delete(queue)
    this.#deleteIfIdle(queue)
  }

  #queueOf(key: QueueKey): DestinationQueue {
    const known = this.#queues.get(keyOf(key))
    if (known) return known
    const memory = new Semaphore(this.#memoryBytes / MEMORY_SHARES)
    const queue = { key, memory, slots: this.#minSlots, taken: 0, parked: 0, parkVersion: 0 }
    this.#queues.set(keyOf(key), queue)
    return queue
  }

  #release(queue: DestinationQueue, tookMs: number) {
    queue.taken--
    if (tookMs < QUICK_MS) queue.slots = Math.min(this.#maxSlots, queue.slots + 1)
    if (tookMs > SLOW_MS) queue.slots = Math.max(this.#minSlots, Math.floor(queue.slots / 2))
    this.#deleteIfIdle(queue)
  }

  #deleteIfIdle(queue: DestinationQueue) {
    if (queue.taken === 0 && queue.parked === 0) this.#queues.delete(keyOf(queue.key))
  }
}

/** What to fetch for a queue. */
export interface Fetch {
  readonly queue: QueueKey
  readonly limit: number
  readonly parkVersion: number
}

const keyOf = ({ destination, priority }: QueueKey) => `${priority} ${destination}`
