/** How long the DNS lookups for one message may take, all together. */
export interface LookupDeadline {
  readonly ms: number
  /** Unset: it may always take all of it. */
  readonly slow?: SlowSlots
}

/**
 * A bulkhead: bounds how many messages are slow at once. One that has waited a little while takes a slot and goes on; where there is none it stops
 * waiting. So a flood of messages whose name servers do not answer holds up a few of those who read mail, and not all of them.
 */
export class SlowSlots {
  readonly afterMs: number
  readonly #slots: number
  #taken = 0

  constructor({ afterMs, slots }: { afterMs: number; slots: number }) {
    this.afterMs = afterMs
    this.#slots = slots
  }

  enter(): boolean {
    if (this.#taken >= this.#slots) return false
    this.#taken++
    return true
  }

  leave() {
    this.#taken--
  }
}

/** The timer of one message. It begins with its first lookup: hashing a large body takes seconds that are nobody's fault. */
export class LookupTimer {
  readonly #deadline: LookupDeadline
  readonly #over = new AbortController()
  readonly #timers: NodeJS.Timeout[] = []
  #isSlow = false

  constructor(deadline: LookupDeadline) {
    this.#deadline = deadline
  }

  /** The value, or an error once it has been waited for long enough. */
  for<Value>(coming: Promise<Value>): Promise<Value> {
    if (this.#timers.length === 0) this.#begin()
    const { signal } = this.#over
    return new Promise((resolve, reject) => {
      const stop = () => reject(timeout('time limit of this message reached'))
      if (signal.aborted) return stop()
      signal.addEventListener('abort', stop, { once: true })
      coming.finally(() => signal.removeEventListener('abort', stop)).then(resolve, reject)
    })
  }

  end() {
    for (const timer of this.#timers) clearTimeout(timer)
    if (this.#isSlow) this.#deadline.slow!.leave()
  }

  #begin() {
    const { ms, slow } = this.#deadline
    this.#timers.push(setTimeout(() => this.#over.abort(), ms))
    if (slow) this.#timers.push(setTimeout(() => this.#takeSlowSlot(slow), slow.afterMs))
  }

  #takeSlowSlot(slow: SlowSlots) {
    this.#isSlow = slow.enter()
    if (!this.#isSlow) this.#over.abort()
  }
}

const timeout = (reason: string) => Object.assign(new Error(reason), { code: 'ETIMEOUT' })
