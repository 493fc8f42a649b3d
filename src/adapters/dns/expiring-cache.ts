import type { Clock } from '../../platform/clock.ts'

/** Remembers a bounded number of values for a bounded time. When it is full, what was remembered first goes first. */
export class ExpiringCache<Value> {
  readonly #entries = new Map<string, { value: Value; expiresAtMs: number }>()
  readonly #clock: Clock
  readonly #maxEntries: number

  constructor(options: { clock: Clock; maxEntries: number }) {
    this.#clock = options.clock
    this.#maxEntries = options.maxEntries
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if (entry.expiresAtMs > this.#clock.now().getTime()) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  set(key: string, value: Value, seconds: number) {
    this.#entries.delete(key)
    this.#entries.set(key, { value, expiresAtMs: this.#clock.now().getTime() + seconds * 1_000 })
    if (this.#entries.size > this.#maxEntries) this.#entries.delete(this.#entries.keys().next().value!)
  }

  get size(): number {
    return this.#entries.size
  }
}
