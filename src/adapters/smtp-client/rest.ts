import type { Clock } from '../../platform/clock.ts'

export interface RestOptions {
  readonly clock: Clock
  readonly firstPauseMs: number
  readonly maxPauseMs: number
}

/**
 * How long a destination that cannot be talked to is left alone: each time twice as long as the one before, until somebody answers. What
 * those say that do answer is not for here: whoever sends decides how fast.
 */
export class Rest {
  readonly #options: RestOptions
  #failures = 0
  #untilMs = 0
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(options: RestOptions) {
    this.#options = options
  }

  get until(): Date | null {
    const aheadMs = this.#untilMs - this.#nowMs()
    // No rest is longer: the clock was set back.
    return aheadMs > 0 && aheadMs <= this.#options.maxPauseMs ? new Date(this.#untilMs) : null
  }

  get lastMs(): number {
    return this.#failures === 0 ? Number.NEGATIVE_INFINITY : this.#lastMs
  }

  /** Attempts that were under way when the first failed will all fail: that is once. */
  failed(attemptStartedMs: number, maxPauseMs = this.#options.maxPauseMs) {
    const nowMs = this.#nowMs()
    if ((attemptStartedMs < this.#lastMs && this.#lastMs <= nowMs) || this.until) return
    this.#lastMs = nowMs
    this.#untilMs = this.#lastMs + Math.min(maxPauseMs, this.#options.firstPauseMs * 2 ** this.#failures)
    this.#failures = Math.min(this.#failures + 1, 30)
  }

  /** Whoever knows more wants it to be asked now. Should it fail once more, it is left alone for longer. */
  end() {
    this.#untilMs = 0
  }

  answered() {
    this.#failures = 0
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime()
  }
}
