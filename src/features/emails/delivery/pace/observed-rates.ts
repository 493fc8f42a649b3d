const WINDOW_MS = 10_000
const MIN_MS = 1_000
const MAX_DESTINATIONS = 10_000

/**
 * How fast mail went to each destination of late, for the first time that one asks for less. Counted for every mail, so it is two numbers
 * and no list.
 */
export class ObservedRates {
  readonly #destinations = new Map<string, { since: number; count: number; previous: number }>()

  count(destination: string, now: number) {
    const known = this.#destinations.get(destination)
    if (!known) {
      if (this.#destinations.size >= MAX_DESTINATIONS) this.#destinations.clear()
      this.#destinations.set(destination, { since: now, count: 1, previous: 0 })
      return
    }
    if (now - known.since >= WINDOW_MS) {
      known.previous = now - known.since < 2 * WINDOW_MS ? known.count : 0
      known.count = 0
      known.since = now
    }
    known.count++
  }

  /** Messages in a second. */
  rateOf(destination: string, now: number): number {
    const known = this.#destinations.get(destination)
    if (!known || now - known.since >= 2 * WINDOW_MS) return 0
    const { since, count, previous } = known
    const elapsed = now - since + (previous > 0 ? WINDOW_MS : 0)
    return (count + previous) / (Math.max(elapsed, MIN_MS) / 1_000)
  }
}
