import { Problem } from './problem.ts'

const WINDOW_MS = 1_000

/**
 * Requests per second and team, in windows that begin with a team's first request. Counted in this process alone: asking the
 * database on each request would cost more than the requests that the limit is there to keep away.
 */
export class RateLimit {
  readonly #limit: number
  readonly #windows = new Map<string, { startedAt: number; used: number }>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts a request, puts the headers on the answer, and refuses what is too much. */
  take(team: string, setHeader: (name: string, value: string | number) => unknown) {
    if (this.#limit === 0) return
    const now = performance.now()
    let window = this.#windows.get(team)
    if (!window || now - window.startedAt >= WINDOW_MS) {
      window = { startedAt: now, used: 0 }
      this.#windows.set(team, window)
    }
    window.used++
    setHeader('ratelimit-limit', this.#limit)
    setHeader('ratelimit-remaining', Math.max(0, this.#limit - window.used))
    setHeader('ratelimit-reset', 1)
    setHeader('ratelimit-policy', `${this.#limit};w=1`)
    if (window.used <= this.#limit) return
    setHeader('retry-after', 1)
    throw new Problem(
      'rate_limit_exceeded',
      `Too many requests. You can only make ${this.#limit} requests per second. See rate limit response headers for more information.`,
    )
  }
}
