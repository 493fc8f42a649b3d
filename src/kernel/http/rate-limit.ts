import { Problem } from './problem.ts'

const WINDOW_MS = 1_000
/** Sandboxes come and go: of more teams than this, the one whose window began longest ago is forgotten. */
const MOST_TEAMS = 10_000

/**
 * Requests per second and team, in windows that begin with a team's first request. All processes together let the limit through, each its
 * share of it: asking the database on each request would cost more than the requests that the limit is there to keep away. A limit that
 * does not divide evenly is rounded up for each. What an answer says is left, is left in this process: so many more are sure to be let
 * through, wherever the next one goes.
 */
export class RateLimit {
  readonly #limit: number
  readonly #processes: { readonly count: number }
  /** In the order in which they began. */
  readonly #windows = new Map<string, { startedAt: number; used: number }>()

  /** A limit of 0 is none. `processes`: how many there are to share it. */
  constructor(limit: number, processes: { readonly count: number } = { count: 1 }) {
    this.#limit = limit
    this.#processes = processes
  }

  /** Counts a request, puts the headers on the answer, and refuses what is too much. */
  take(team: string, setHeader: (name: string, value: string | number) => unknown) {
    if (this.#limit === 0) return
    const now = performance.now()
    let window = this.#windows.get(team)
    if (!window || now - window.startedAt >= WINDOW_MS) {
      window = { startedAt: now, used: 0 }
      this.#windows.delete(team)
      this.#windows.set(team, window)
      if (this.#windows.size > MOST_TEAMS) this.#windows.delete(this.#windows.keys().next().value!)
    }
    window.used++
    const share = Math.ceil(this.#limit / this.#processes.count)
    setHeader('ratelimit-limit', this.#limit)
    setHeader('ratelimit-remaining', Math.max(0, share - window.used))
    setHeader('ratelimit-reset', 1)
    setHeader('ratelimit-policy', `${this.#limit};w=1`)
    if (window.used <= share) return
    setHeader('retry-after', 1)
    throw new Problem(
      'rate_limit_exceeded',
      `Too many requests. You can only make ${this.#limit} requests per second. See rate limit response headers for more information.`,
    )
  }
}
