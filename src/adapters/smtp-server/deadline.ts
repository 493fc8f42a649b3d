import type { Limits } from './limits.ts'

/** Until when the client of a connection has to do what is next. While others think about what it said there is no deadline. */
export class Deadline {
  readonly #limits: Limits
  readonly #sessionEndsAt: number
  #messageEndsAt: number | null = null
  #dueAt = Number.POSITIVE_INFINITY

  constructor(limits: Limits) {
    this.#limits = limits
    this.#sessionEndsAt = performance.now() + limits.sessionMs
  }

  isOver(now: number): boolean {
    return now >= this.#dueAt
  }

  suspend() {
    this.#dueAt = Number.POSITIVE_INFINITY
  }

  awaitHandshake() {
    this.#dueAt = performance.now() + this.#limits.handshakeMs
  }

  /** Between two chunks of a message its own limits hold: it keeps memory. */
  awaitCommand() {
    if (this.#messageEndsAt !== null) return this.awaitBody()
    this.#dueAt = Math.min(performance.now() + this.#limits.commandMs, this.#sessionEndsAt)
  }

  /** The next piece of a message. */
  awaitBody() {
    const now = performance.now()
    this.#messageEndsAt ??= now + this.#limits.dataMs
    this.#dueAt = Math.min(now + this.#limits.silenceMs, this.#messageEndsAt)
  }

  endMessage() {
    this.#messageEndsAt = null
    this.suspend()
  }
}
