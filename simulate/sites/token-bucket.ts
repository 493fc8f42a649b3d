/** Fills up with time to its capacity; both may change. */
export class TokenBucket {
  #tokens: number
  #filledMs: number

  constructor(tokens: number, nowMs: number) {
    this.#tokens = tokens
    this.#filledMs = nowMs
  }

  fill(nowMs: number, perMs: number, capacity: number) {
    this.#tokens = Math.min(capacity, this.#tokens + Math.max(0, nowMs - this.#filledMs) * perMs)
    this.#filledMs = Math.max(this.#filledMs, nowMs)
  }

  get hasToken(): boolean {
    // 60 tokens a minute, taken one a second, are as good as whole.
    return this.#tokens >= 1 - 1e-9
  }

  take() {
    this.#tokens = Math.max(0, this.#tokens - 1)
  }

  /** How long until there is one, at this pace. */
  waitMs(perMs: number): number {
    return this.hasToken ? 0 : Math.ceil((1 - this.#tokens) / perMs)
  }
}
