/** How long the questions about one message may take, all together. */
export interface Patience {
  readonly ms: number
  /** Unset: it may always take all of it. */
  readonly slow?: SlowMessages
}

/**
 * Bounds how many messages are slow at once. One that has waited a little while takes a place and goes on; where there is none it stops
 * waiting. So a flood of messages whose name servers do not answer holds up a few of those who read mail, and not all of them.
 */
export class SlowMessages {
  readonly afterMs: number
  readonly #places: number
  #taken = 0

  constructor({ afterMs, places }: { afterMs: number; places: number }) {
    this.afterMs = afterMs
    this.#places = places
  }

  enter(): boolean {
    if (this.#taken >= this.#places) return false
    this.#taken++
    return true
  }

  leave() {
    this.#taken--
  }
}

/** The waiting for one message. It begins with its first question: hashing a large body takes seconds that are nobody's fault. */
export class Waiting {
  readonly #patience: Patience
  readonly #over = new AbortController()
  readonly #timers: NodeJS.Timeout[] = []
  #isSlow = false

  constructor(patience: Patience) {
    this.#patience = patience
  }

  /** The value, or an error once it has been waited for long enough. */
  for<Value>(coming: Promise<Value>): Promise<Value> {
    if (this.#timers.length === 0) this.#begin()
    const { signal } = this.#over
    return new Promise((resolve, reject) => {
      const stop = () => reject(timeout('no more time for this message'))
      if (signal.aborted) return stop()
      signal.addEventListener('abort', stop, { once: true })
      coming.finally(() => signal.removeEventListener('abort', stop)).then(resolve, reject)
    })
  }

  end() {
    for (const timer of this.#timers) clearTimeout(timer)
    if (this.#isSlow) this.#patience.slow!.leave()
  }

  #begin() {
    const { ms, slow } = this.#patience
    this.#timers.push(setTimeout(() => this.#over.abort(), ms))
    if (slow) this.#timers.push(setTimeout(() => this.#takeSlowPlace(slow), slow.afterMs))
  }

  #takeSlowPlace(slow: SlowMessages) {
    this.#isSlow = slow.enter()
    if (!this.#isSlow) this.#over.abort()
  }
}

const timeout = (reason: string) => Object.assign(new Error(reason), { code: 'ETIMEOUT' })
