import type { Peers } from '../../kernel/db/peers.ts'
import type { TeamStates } from './team-states.ts'

interface Bucket {
  tokens: number
  filledAt: number
}

/** What fits beside nobody's: more teams with a limit than this are not all remembered. */
const MAX_TEAMS = 10_000

/**
 * How many recipients a second a team may hand in, by HTTP and SMTP. A second's worth may come at once; what comes with the last token may
 * be more than that, and is paid off before the next. Each process lets its share through.
 */
export class RecipientRate {
  readonly #states: TeamStates
  readonly #peers: Pick<Peers, 'count'>
  /** In the order in which they were used. */
  readonly #buckets = new Map<string, Bucket>()

  constructor(states: TeamStates, peers: Pick<Peers, 'count'>) {
    this.#states = states
    this.#peers = peers
  }

  /** Takes so many, or returns after how many seconds it is worth trying again. Null: they are taken. */
  take(team: string, recipients: number, now = performance.now()): { limit: number; retryAfter: number } | null {
    const limit = this.#states.limitsOf(team).recipientsPerSecond
    if (limit === null) return null
    const share = limit / this.#peers.count
    const burst = Math.max(1, share)
    const bucket = this.#buckets.get(team) ?? { tokens: burst, filledAt: now }
    const tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1_000) * share)
    const isEnough = tokens >= 1
    this.#buckets.delete(team)
    this.#buckets.set(team, { tokens: isEnough ? tokens - recipients : tokens, filledAt: now })
    if (this.#buckets.size > MAX_TEAMS) this.#buckets.delete(this.#buckets.keys().next().value!)
    return isEnough ? null : { limit, retryAfter: Math.ceil((1 - tokens) / share) }
  }
}
