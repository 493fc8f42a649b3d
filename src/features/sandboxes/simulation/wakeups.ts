import type { Database } from '../../../kernel/db/database.ts'
import { SANDBOXES_CHANNEL } from '../../../kernel/db/sandbox-clocks.ts'

/** Tells those who wait for sandboxes to come to rest that workers, here or elsewhere, have finished something. */
export class Wakeups {
  #count = 0
  readonly #waiting = new Set<() => void>()

  constructor({ signals }: Database) {
    signals.watch(SANDBOXES_CHANNEL, () => {
      this.#count++
      for (const wake of this.#waiting) wake()
    })
  }

  /** How often there was something. Who reads it, then looks, and then waits for more misses nothing. */
  get count(): number {
    return this.#count
  }

  /** Resolves when there was more than this, or after the time. */
  after(count: number, milliseconds: number): Promise<void> {
    if (this.#count > count) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, milliseconds)
      this.#waiting.add(wake)
    })
  }
}
