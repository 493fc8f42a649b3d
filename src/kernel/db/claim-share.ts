/** A struggling node still claims this part: it must show that it can work again. */
const MIN_SHARE = 1 / 32
/** Gained by each heartbeat that comes in time: after the worst it takes half a minute to claim as much as before. */
const REGAINED = 1 / 32

/**
 * Backpressure by the heartbeat: which part of its usual rows a node should claim. A heartbeat that is late (a starved machine, an event
 * loop that hangs, a database that takes seconds) halves the share, once for each `lateMs` that it is waited for; one that comes in time
 * raises it a little. So a node that may soon be called dead holds little that would have to be given back.
 */
export class ClaimShare {
  readonly #lateMs: number
  #share = 1
  #answeredAt: number | null = null

  constructor(lateMs: number) {
    this.#lateMs = lateMs
  }

  /** A heartbeat was answered. */
  answered(now: number) {
    const missed = this.#missed(now)
    this.#share = missed > 0 ? this.#halved(missed) : Math.min(1, this.#share + REGAINED)
    this.#answeredAt = now
  }

  /** Also while one is being waited for. */
  at(now: number): number {
    return this.#halved(this.#missed(now))
  }

  #missed(now: number): number {
    return this.#answeredAt === null ? 0 : Math.floor((now - this.#answeredAt) / this.#lateMs)
  }

  #halved(times: number): number {
    return Math.max(MIN_SHARE, this.#share / 2 ** times)
  }
}
