import { isUnavailable } from '../database-errors.ts'
import { tracing } from '../observability/tracing.ts'
import { Busy } from './fair-queue.ts'
import { RoundRobin } from './round-robin.ts'

interface PendingWrite<Item, Result> {
  readonly item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/** A write that takes longer than this may wait for somebody; others do not wait for it. */
const SLOW_WRITE_MS = 50

const ONE = { tenant: '', weight: 1 }

/** Beyond this part of a batch an item is large. */
const LARGE = 1 / 4

interface Limits<Item> {
  /** Of one write: what its items weigh together. */
  readonly maxItems: number
  readonly maxWrites: number
  /** Two writes begin at least so far apart, unless a whole batch waits. */
  readonly restMs?: number
  /** What an item weighs, and whose it is. Without it each weighs 1 and all are one tenant's. */
  weigh?(item: Item): { tenant: string; weight: number }
  /** What may wait of one tenant, by weight; beyond it `add` rejects with `Busy`. */
  readonly maxWaiting?: number
}

/** Items that are written together, and how many writes of them are under way. */
interface WriteQueue<Item, Result> {
  readonly items: RoundRobin<PendingWrite<Item, Result>>
  readonly maxWrites: number
  writes: number
  late: number
}

/**
 * A group commit of our own. Items that arrive while a write is under way are gathered and written together by the next one, and
 * each caller gets its own result. Under load many items share one commit; alone, an item waits for nobody. A second write runs
 * beside the first only when half a batch waits or the first is late: few large writes cost less than many small ones.
 * When a write fails for a reason that may lie in one item, the items are written one by one, so that a bad one costs only itself.
 *
 * Tenants take turns in a write. Large items have writes of their own, never all of them: a single email does not wait for
 * somebody's batch of a hundred to be written, neither behind it nor in the same commit.
 */
export class Batcher<Item, Result> {
  readonly #write: (items: readonly Item[]) => Promise<readonly Result[]>
  readonly #limits: Limits<Item>
  readonly #small: WriteQueue<Item, Result>
  readonly #large: WriteQueue<Item, Result>
  #beganAt = Number.NEGATIVE_INFINITY
  #rest: NodeJS.Timeout | null = null
  /** One for all that arrive in the same turn. */
  #soon: NodeJS.Immediate | null = null
  readonly #startSoon = () => {
    this.#soon = null
    this.#startBoth()
  }

  constructor(write: (items: readonly Item[]) => Promise<readonly Result[]>, limits: Limits<Item>) {
    this.#write = write
    this.#limits = limits
    const { maxWrites } = limits
    const queue = (most: number) => ({ items: new RoundRobin<PendingWrite<Item, Result>>(), maxWrites: most })
    const nothing = { writes: 0, late: 0 }
    this.#small = { ...queue(maxWrites), ...nothing }
    this.#large = { ...queue(Math.max(1, maxWrites - 1)), ...nothing }
  }

  add(item: Item): Promise<Result> {
    const { weigh, maxItems, maxWrites, maxWaiting = Number.POSITIVE_INFINITY } = this.#limits
    const own = weigh?.(item) ?? ONE
    const { items } = own.weight > maxItems * LARGE && own.weight > 1 ? this.#large : this.#small
    const waiting = items.weightOf(own.tenant)
    if (waiting > 0 && waiting + own.weight > maxWaiting) return Promise.reject(new Busy(true))
    return new Promise((resolve, reject) => {
      items.add({ item, resolve, reject }, own)
      // A turn of the event loop later, so that requests that arrived together also go together.
      if (this.#writes < maxWrites) this.#soon ??= setImmediate(this.#startSoon)
    })
  }

  get size(): number {
    return this.#small.items.size + this.#large.items.size
  }

  get #writes(): number {
    return this.#small.writes + this.#large.writes
  }

  /** Backpressure: a large write begins first if none is under way, then small ones, and only then another large one. */
  #startBoth() {
    if (this.#large.writes === 0) this.#start(this.#large)
    this.#start(this.#small)
    this.#start(this.#large)
  }

  #start(queue: WriteQueue<Item, Result>) {
    const { maxItems, maxWrites } = this.#limits
    if (queue.items.size === 0 || queue.writes >= queue.maxWrites || this.#writes >= maxWrites) return
    const isWorthwhile = queue.items.weight >= maxItems / 2
    if (queue.writes > queue.late && !isWorthwhile) return
    if (this.#isResting(queue)) return
    queue.writes++
    let isLate = false
    const lateness = setTimeout(() => {
      isLate = true
      queue.late++
      this.#start(queue)
    }, SLOW_WRITE_MS)
    this.#writeTogether(queue.items.take(maxItems)).finally(() => {
      clearTimeout(lateness)
      queue.writes--
      if (isLate) queue.late--
      this.#startBoth()
    })
  }

  #isResting({ items }: WriteQueue<Item, Result>): boolean {
    const { restMs, maxItems } = this.#limits
    if (restMs === undefined) return false
    const now = performance.now()
    const leftMs = this.#beganAt + restMs - now
    if (leftMs <= 0 || items.weight >= maxItems) {
      this.#beganAt = now
      return false
    }
    this.#rest ??= setTimeout(() => {
      this.#rest = null
      this.#startBoth()
    }, leftMs)
    return true
  }

  async #writeTogether(group: PendingWrite<Item, Result>[]): Promise<void> {
    try {
      const items = group.map(({ item }) => item)
      // In nobody's trace: it was begun by one of many, and what follows from it goes on from here.
      const results = await (tracing ? tracing.run(null, () => this.#write(items)) : this.#write(items))
      for (const [index, { resolve }] of group.entries()) resolve(results[index]!)
    } catch (error) {
      if (group.length === 1 || isUnavailable(error)) {
        for (const { reject } of group) reject(error)
      } else {
        for (const one of group) await this.#writeTogether([one])
      }
    }
  }
}
