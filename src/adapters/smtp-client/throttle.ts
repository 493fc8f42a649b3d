import type { Clock } from '../../platform/clock.ts'

export interface ThrottleOptions {
  readonly clock: Clock
  readonly maxConnections: number
  readonly firstPauseMs: number
  readonly maxPauseMs: number
}

/**
 * How much a destination can bear, learnt from what it says. Each complaint halves the connections and starts a pause, twice as
 * long as the one before. Each round of good answers, one for every connection allowed, gives one connection back and takes one
 * doubling off the next pause: from 1 to 10 connections that is 45 messages.
 */
export class Throttle {
  readonly #options: ThrottleOptions
  #limit: number
  #complaints = 0
  #successes = 0
  #pausedUntilMs = 0
  #lastComplaintMs = Number.NEGATIVE_INFINITY

  constructor(options: ThrottleOptions) {
    this.#options = options
    this.#limit = options.maxConnections
  }

  /** Connections allowed at present. */
  get limit(): number {
    return this.#limit
  }

  get pausedUntil(): Date | null {
    return this.#pausedUntilMs > this.#nowMs() ? new Date(this.#pausedUntilMs) : null
  }

  get isAtRest(): boolean {
    return this.#limit === this.#options.maxConnections && this.#complaints === 0 && this.pausedUntil === null
  }

  get lastComplaintMs(): number {
    return this.#lastComplaintMs
  }

  /** Connections that were under way when the destination first complained will all hear the same. That is one complaint. */
  slowDown(attemptStartedMs: number, maxPauseMs = this.#options.maxPauseMs) {
    const nowMs = this.#nowMs()
    if (attemptStartedMs < this.#lastComplaintMs || this.pausedUntil) return
    const { firstPauseMs } = this.#options
    this.#limit = Math.max(1, Math.floor(this.#limit / 2))
    this.#pausedUntilMs = nowMs + Math.min(maxPauseMs, firstPauseMs * 2 ** this.#complaints)
    this.#complaints = Math.min(this.#complaints + 1, 30)
    this.#successes = 0
    this.#lastComplaintMs = nowMs
  }

  recover() {
    if (this.isAtRest || ++this.#successes < this.#limit) return
    this.#successes = 0
    this.#limit = Math.min(this.#limit + 1, this.#options.maxConnections)
    this.#complaints = Math.max(this.#complaints - 1, 0)
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime()
  }
}
