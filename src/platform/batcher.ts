import { isUnavailable } from './db/errors.ts'

interface Waiting<Item, Result> {
  readonly item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/** A write that takes longer than this may wait for somebody; others do not wait for it. */
const LATE_MS = 50

/**
 * A group commit of our own. Items that arrive while a write is under way are gathered and written together by the next one, and
 * each caller gets its own result. Under load many items share one commit; alone, an item waits for nobody. A second write runs
 * beside the first only when half a batch waits or the first is late: few large writes cost less than many small ones.
 * When a write fails for a reason that may lie in one item, the items are written one by one, so that a bad one costs only itself.
 */
export class Batcher<Item, Result> {
  readonly #write: (items: readonly Item[]) => Promise<readonly Result[]>
  readonly #maxItems: number
  readonly #maxWrites: number
  readonly #weigh: (item: Item) => number
  readonly #maxWeight: number
  readonly #waiting: Waiting<Item, Result>[] = []
  #writes = 0
  #late = 0

  constructor(
    write: (items: readonly Item[]) => Promise<readonly Result[]>,
    limits: { maxItems: number; maxWrites: number; maxWeight?: number; weigh?(item: Item): number },
  ) {
    this.#write = write
    this.#maxItems = limits.maxItems
    this.#maxWrites = limits.maxWrites
    this.#weigh = limits.weigh ?? (() => 0)
    this.#maxWeight = limits.maxWeight ?? Number.POSITIVE_INFINITY
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      // A turn of the event loop later, so that requests that arrived together also go together.
      if (this.#writes < this.#maxWrites) setImmediate(() => this.#start())
    })
  }

  get size(): number {
    return this.#waiting.length
  }

  #start() {
    if (this.#writes >= this.#maxWrites || this.#waiting.length === 0) return
    const isWorthwhile = this.#waiting.length >= this.#maxItems / 2
    if (this.#writes > this.#late && !isWorthwhile) return
    this.#writes++
    let isLate = false
    const lateness = setTimeout(() => {
      isLate = true
      this.#late++
      this.#start()
    }, LATE_MS)
    this.#writeTogether(this.#waiting.splice(0, this.#countNext())).finally(() => {
      clearTimeout(lateness)
      this.#writes--
      if (isLate) this.#late--
      this.#start()
    })
  }

  /** How many go together: so many, or fewer of the heavy ones, and one at least. */
  #countNext(): number {
    let weight = 0
    const count = this.#waiting.findIndex(({ item }, index) => {
      weight += this.#weigh(item)
      return index > 0 && (index === this.#maxItems || weight > this.#maxWeight)
    })
    return count < 0 ? this.#waiting.length : count
  }

  async #writeTogether(group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#write(group.map(({ item }) => item))
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
