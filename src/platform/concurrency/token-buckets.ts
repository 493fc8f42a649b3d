interface Bucket {
  tokens: number
  filledAt: number
}

/**
 * How often each of many may do something: a burst of the whole limit, and then as it fills again, evenly over the period. Counted in
 * this process alone. What is full again is forgotten, and beyond a number of keys the one that was used longest ago: whoever has
 * millions of addresses gets no memory for them.
 */
export class TokenBuckets {
  readonly #limit: number
  readonly #periodMs: number
  readonly #maxKeys: number
  /** In the order in which they were used. */
  readonly #buckets = new Map<string, Bucket>()

  /** A limit of 0 is none. */
  constructor({ limit, periodMs, maxKeys = 10_000 }: { limit: number; periodMs: number; maxKeys?: number }) {
    this.#limit = limit
    this.#periodMs = periodMs
    this.#maxKeys = maxKeys
  }

  get size(): number {
    return this.#buckets.size
  }

  /** Whether the next `take` would be let through. */
  has(key: string, now = performance.now()): boolean {
    return this.#limit === 0 || this.#tokens(key, now) >= 1
  }

  /** Takes what something costs, if there is anything left: the last one may cost more than that, and is paid off later. */
  take(key: string, cost = 1, now = performance.now()): boolean {
    if (!this.has(key, now)) return false
    this.charge(key, cost, now)
    return true
  }

  /** Takes it in any case, for what has happened already: what is owed has to fill up first. */
  charge(key: string, cost = 1, now = performance.now()) {
    if (this.#limit === 0) return
    const tokens = this.#tokens(key, now)
    this.#buckets.delete(key)
    this.#buckets.set(key, { tokens: tokens - cost, filledAt: now })
    this.#forget(now)
  }

  #tokens(key: string, now: number): number {
    const bucket = this.#buckets.get(key)
    return bucket ? this.#filled(bucket, now) : this.#limit
  }

  #filled({ tokens, filledAt }: Bucket, now: number): number {
    return Math.min(this.#limit, tokens + ((now - filledAt) / this.#periodMs) * this.#limit)
  }

  #forget(now: number) {
    for (const [key, bucket] of this.#buckets) {
      if (this.#buckets.size <= this.#maxKeys && this.#filled(bucket, now) < this.#limit) return
      this.#buckets.delete(key)
    }
  }
}
