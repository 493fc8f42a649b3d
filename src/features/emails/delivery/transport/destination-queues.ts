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
  /** When it is due without having been fetched: nobody may be left to fetch it. */
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

const PARKED_SECONDS = 60
const MAX_PARKED_SECONDS = 1_800
/** The more are parked the later they are due: they come back unfetched no faster than this, and each time for nothing. */
const PARKED_PER_SECOND = 500

/** So many queues are looked after. What is parked for others is due in its time. */
const MAX_QUEUES_WITH_PARKED = 200

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
  readonly #isPaused: (destination: string) => boolean

  constructor(options: {
    memoryBytes: number
    /** To one destination at once. */
    connections: number
    /** Whether the destination has asked to be left alone for a while: then nothing is fetched for it. */
    isPaused(destination: string): boolean
  }) {
    this.#memoryBytes = options.memoryBytes
    this.#minSlots = options.connections * SLOTS_PER_CONNECTION
    this.#maxSlots = Math.max(MAX_SLOTS, this.#minSlots)
    this.#isPaused = options.isPaused
  }

  /** Mail that was not parked stands behind the mail that is. */
  reserve(key: QueueKey, { isFetched }: { isFetched: boolean }): Slot | Parked {
    const queue = this.#queueOf(key)
    const isFull = queue.taken >= queue.slots || (queue.parked > 0 && !isFetched)
    if (isFull) return parkedIn(queue)
    queue.taken++
    const since = performance.now()
    let isTaken = true
    const release = () => {
      if (isTaken) this.#release(queue, performance.now() - since)
      isTaken = false
    }
    return { kind: 'reserved', memory: queue.memory, release }
  }

  /** Back into the ledger until the destination can be talked to, and for so long at least. */
  park(key: QueueKey, seconds: number): Parked {
    return parkedIn(this.#queues.get(keyOf(key)) ?? { key, parked: 0 }, seconds)
  }

  /** Mail is in the ledger for this queue, and can be fetched. */
  parked(key: QueueKey) {
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
    for (const { key, slots, taken, parkVersion } of this.#withParked) {
      if (left <= 0) break
      if (taken > slots / 2 || this.#isPaused(key.destination)) continue
      const limit = Math.min(slots - taken, left)
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

function parkedIn({ key, parked }: Pick<DestinationQueue, 'key' | 'parked'>, atLeast = 0): Parked {
  const seconds = Math.min(PARKED_SECONDS + parked / PARKED_PER_SECOND, MAX_PARKED_SECONDS)
  return { kind: 'parked', queue: key, seconds: Math.max(seconds, atLeast) }
}

/** What to fetch for a queue. */
export interface Fetch {
  readonly queue: QueueKey
  readonly limit: number
  readonly parkVersion: number
}

const keyOf = ({ destination, priority }: QueueKey) => `${priority} ${destination}`
