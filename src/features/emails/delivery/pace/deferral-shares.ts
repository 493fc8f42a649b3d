/** Of the last ten messages or so. */
const DECAY = 0.9
/** Four in a row, or every third of many. */
const MAX_DEFERRED_SHARE = 0.3
const MIN_SHARE = 0.01
/** What was put off longer ago says nothing about now. */
const FORGET_MS = 600_000
const MAX_DESTINATIONS = 10_000

/**
 * Which share of the latest messages each destination has put off, whatever its words were: one that puts most of them off wants less, also if it
 * does not say so. A destination that takes everything is not remembered.
 */
export class DeferralShares {
  readonly #destinations = new Map<string, { share: number; at: number }>()

  /** Tells whether it is too much, and begins to count anew then. */
  heard(destination: string, counts: 'taken' | 'deferred', now: number): boolean {
    if (counts === 'taken' && this.#destinations.size === 0) return false
    const known = this.#destinations.get(destination)
    if (counts === 'taken' && !known) return false
    const before = known && now - known.at < FORGET_MS ? known.share : 0
    const share = before * DECAY + (counts === 'deferred' ? 1 - DECAY : 0)
    if (share > MAX_DEFERRED_SHARE || share < MIN_SHARE) this.#destinations.delete(destination)
    else {
      if (!known && this.#destinations.size >= MAX_DESTINATIONS) this.#destinations.clear()
      this.#destinations.set(destination, { share, at: now })
    }
    return share > MAX_DEFERRED_SHARE
  }
}
