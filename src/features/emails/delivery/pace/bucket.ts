import { MAX_REST_MS } from './controller.ts'

/** So much may go at once after a quiet while. */
const BURST_SECONDS = 1
/** Of what is added up a thousand times. */
const ROUNDING = 1e-9

/**
 * Lets messages through at a rate. It begins empty: a process that starts gets no burst. After a rest there is one message, which finds out
 * how things are. Times are milliseconds.
 */
export class TokenBucket {
  #tokens = 0
  #filledAt: number
  #restUntil = Number.NEGATIVE_INFINITY

  constructor(now: number) {
    this.#filledAt = now
  }

  /** Nothing until then. */
  restUntil(moment: number) {
    this.#tokens = 1
    this.#restUntil = moment
  }

  /** How many may go now. */
  room(now: number, rate: number): number {
    this.#fill(now, rate)
    return now < this.#restUntil ? 0 : Math.max(0, Math.floor(this.#tokens + ROUNDING))
  }

  /** Milliseconds until the next one may go; 0: now. */
  wait(now: number, rate: number): number {
    this.#fill(now, rate)
    const restMs = Math.max(0, this.#restUntil - now)
    const missing = 1 - this.#tokens
    return restMs + (missing <= ROUNDING ? 0 : Math.max(1, Math.ceil((missing / rate) * 1_000)))
  }

  take() {
    this.#tokens--
  }

  #fill(now: number, rate: number) {
    // The clock was set back: nobody waits until it is as late again.
    if (now < this.#filledAt) this.#filledAt = now
    if (this.#restUntil > now + MAX_REST_MS) this.#restUntil = now
    const since = Math.max(this.#filledAt, this.#restUntil)
    if (now <= since) return
    const most = Math.max(1, rate * BURST_SECONDS)
    this.#tokens = Math.min(most, this.#tokens + ((now - since) / 1_000) * rate)
    this.#filledAt = now
  }
}

/** How far ahead turns are given out at first: a rate that grows meanwhile finds mail before that. */
const FIRST_LIMIT_MS = 600_000
/** Mail is tried for days. */
const MAX_LIMIT_MS = 14_400_000

/**
 * When each of those who wait comes back, one after the other: a thousand that all came back for the next message would come for nothing. More
 * than fit before the limit come back at the limit, for turns after it. While there are such, the limit doubles each time that it is reached: mail
 * waits no longer in one piece than the others have waited already, and a backlog of days is looked at some ten times and not hundreds of times.
 */
export class RetryStagger {
  #lastAt = 0
  #limitMs = FIRST_LIMIT_MS
  #limitedAt = 0

  /** Milliseconds from now. The next one is possible after `waitMs`. */
  next(now: number, waitMs: number, rate: number): number {
    // Later than any turn: the clock was set back. Or nobody has waited for long.
    if (Math.abs(this.#lastAt - now) > this.#limitMs) this.#begin(now)
    const at = Math.max(now + waitMs, this.#lastAt + 1_000 / rate)
    if (at > now + this.#limitMs && now >= this.#limitedAt + this.#limitMs) {
      this.#limitMs = Math.min(MAX_LIMIT_MS, this.#limitMs * 2)
      this.#limitedAt = now
    }
    this.#lastAt = Math.min(at, now + this.#limitMs)
    return this.#lastAt - now
  }

  #begin(now: number) {
    this.#lastAt = 0
    this.#limitMs = FIRST_LIMIT_MS
    this.#limitedAt = now
  }
}
