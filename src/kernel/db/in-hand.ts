/** The rows that this process has claimed and not settled. */
export class InHand<Row> implements Iterable<Row> {
  readonly #onRemoved: (rows: Iterable<Row>) => void
  /** Since when, the oldest first. */
  readonly #since = new Map<Row, number>()

  constructor(onRemoved: (rows: Iterable<Row>) => void = () => {}) {
    this.#onRemoved = onRemoved
  }

  add(rows: Iterable<Row>) {
    for (const row of rows) this.#since.set(row, performance.now())
  }

  remove(rows: Iterable<Row>) {
    for (const row of rows) this.#since.delete(row)
    this.#onRemoved(rows)
  }

  get size(): number {
    return this.#since.size
  }

  /** How many have been here for longer than this, counted up to `most`. */
  countOlderThan(milliseconds: number, most: number): number {
    const before = performance.now() - milliseconds
    let count = 0
    for (const since of this.#since.values()) {
      if (since > before || count === most) break
      count++
    }
    return count
  }

  [Symbol.iterator]() {
    return this.#since.keys()
  }
}
