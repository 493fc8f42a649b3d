/** So much may go at once after a quiet while. */
const BURST_SECONDS = 1
/** Of what is added up a thousand times. */
const ROUNDING = 1e-9

/**
 * Lets messages through at a rate. It begins empty: a process that starts gets no burst. After a rest there is one message, which finds out
 * how things are. Times are milliseconds.
 */
export class Bucket {
  #tokens = 0
  #filledAt: number

  constructor(now: number) {
    this.#filledAt = now
  }

  /** Nothing until then. */
  restUntil(moment: number) {
    this.#tokens = 1
    this.#filledAt = moment
  }

  /** How many may go now. */
  room(now: number, rate: number): number {
    this.#fill(now, rate)
    return now < this.#filledAt ? 0 : Math.max(0, Math.floor(this.#tokens + ROUNDING))
  }

  /** Milliseconds until the next one may go; 0: now. */
  wait(now: number, rate: number): number {
    this.#fill(now, rate)
    const restMs = Math.max(0, this.#filledAt - now)
    const missing = 1 - this.#tokens
    return restMs + (missing <= ROUNDING ? 0 : Math.max(1, Math.ceil((missing / rate) * 1_000)))
  }

  take() {
    this.#tokens--
  }

  #fill(now: number, rate: number) {
    if (now <= this.#filledAt) return
    const most = Math.max(1, rate * BURST_SECONDS)
    this.#tokens = Math.min(most, this.#tokens + ((now - this.#filledAt) / 1_000) * rate)
    this.#filledAt = now
  }
}

const MAX_TURN_MS = 600_000

/** When each of those who wait comes back, one after the other: a thousand that all came back for the next message would come for nothing. */
export class Turns {
  #lastAt = 0

  /** Milliseconds from now. The next one is possible after `waitMs`. */
  next(now: number, waitMs: number, rate: number): number {
    const at = Math.max(now + waitMs, this.#lastAt + 1_000 / rate)
    this.#lastAt = Math.min(at, now + MAX_TURN_MS)
    return this.#lastAt - now
  }
}
