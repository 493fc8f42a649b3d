import { setTimeout as delay } from 'node:timers/promises'

const MAX_WAIT_MS = 60_000

/** At most so many requests a second, and fewer where the server says that it takes fewer. */
export class Pace {
  #intervalMs: number
  #nextAt = 0

  constructor(rate: number) {
    this.#intervalMs = rate > 0 ? 1_000 / rate : 0
  }

  async turn(signal: AbortSignal) {
    const now = performance.now()
    const at = Math.max(now, this.#nextAt)
    this.#nextAt = at + this.#intervalMs
    if (at > now) await this.wait(at - now, signal)
  }

  /** Nothing is left in this window: the next request waits for the next one. */
  learn(headers: Headers) {
    const remaining = headers.get('ratelimit-remaining')
    if (remaining === null || Number(remaining) > 0) return
    const seconds = Number(headers.get('ratelimit-reset'))
    if (seconds > 0) this.#nextAt = Math.max(this.#nextAt, performance.now() + Math.min(seconds * 1_000, MAX_WAIT_MS))
  }

  async wait(ms: number, signal: AbortSignal) {
    await delay(ms, undefined, { signal })
  }
}

/** How long a server that refuses wants to be left alone: seconds, or a date. */
export function waitOf(headers: Headers): number {
  const given = headers.get('retry-after') ?? headers.get('ratelimit-reset') ?? '1'
  const seconds = Number(given)
  if (Number.isFinite(seconds)) return Math.min(Math.max(seconds, 0.05) * 1_000, MAX_WAIT_MS)
  const until = Date.parse(given) - Date.parse(headers.get('date') ?? given)
  return Number.isFinite(until) && until > 0 ? Math.min(until, MAX_WAIT_MS) : 1_000
}
