import type { Claimed } from './queries.ts'

/** Far more than two cores can sign at a time, so that slow destinations do not keep the fast ones from their work. */
const ROWS_IN_HAND = 1_000
/** What others take their time with is not what keeps this process busy, up to a point: then it takes up nothing more. */
const SLOW_MS = 5_000
const SLOW_ROWS = 500

/** The rows that this process has claimed and not settled. */
export class InHand implements Iterable<Claimed> {
  /** Since when, the oldest first. */
  readonly #rows = new Map<Claimed, number>()

  add(rows: readonly Claimed[]) {
    for (const row of rows) this.#rows.set(row, performance.now())
  }

  remove(rows: readonly Claimed[]) {
    for (const row of rows) this.#rows.delete(row)
  }

  /** For that many, and some more that are kept free. */
  hasRoomFor(rows: number, { keptFree = 0 } = {}): boolean {
    return ROWS_IN_HAND - keptFree - (this.#rows.size - this.#countSlow()) >= rows
  }

  [Symbol.iterator]() {
    return this.#rows.keys()
  }

  #countSlow(): number {
    const before = performance.now() - SLOW_MS
    let count = 0
    for (const since of this.#rows.values()) {
      if (since > before || count === SLOW_ROWS) break
      count++
    }
    return count
  }
}
