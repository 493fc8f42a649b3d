import type { Database } from '../../kernel/db/database.ts'
import type { MaybePromise } from '../../platform/concurrency/maybe-promise.ts'
import type { TeamStates } from './team-states.ts'
import { dayOf, readUsed } from './usage.ts'

interface Known {
  readonly day: string
  readonly readAt: number
  daily: number
  monthly: number
}

const READ_AGAIN_MS = 5_000
const MAX_TEAMS = 10_000

/**
 * How much of its quota a team has used, as the answers to those who send tell it: what was read a moment ago, and what this process has
 * accepted since. Other processes show some seconds later. Decides nothing: that is done in the transaction of acceptance.
 */
export class UsageCounts {
  readonly #db: Database
  readonly #states: TeamStates
  /** In the order in which they were read. */
  readonly #known = new Map<string, Known>()
  readonly #reading = new Map<string, Promise<void>>()

  constructor(db: Database, states: TeamStates) {
    this.#db = db
    this.#states = states
  }

  /** This process has accepted mail for so many recipients. */
  add(team: string, recipients: number) {
    const known = this.#known.get(team)
    if (!known) return
    known.daily += recipients
    known.monthly += recipients
  }

  /** The headers of an answer. Only who has a daily limit hears of the day. */
  headersFor(team: string): MaybePromise<Record<string, number>> {
    const day = dayOf(this.#db.clock.of(team).now())
    const known = this.#known.get(team)
    if (known?.day !== day) return this.#read(team, day).then(() => this.#headers(team))
    if (performance.now() - known.readAt > READ_AGAIN_MS) void this.#read(team, day)
    return this.#headers(team)
  }

  #headers(team: string): Record<string, number> {
    const known = this.#known.get(team)
    if (!known) return {}
    const { daily, monthly } = known
    return this.#states.limitsOf(team).emailsPerDay === null
      ? { 'x-resend-monthly-quota': monthly }
      : { 'x-resend-daily-quota': daily, 'x-resend-monthly-quota': monthly }
  }

  /** Once at a time for a team. A count that cannot be read now is not told. */
  #read(team: string, day: string): Promise<void> {
    const reading =
      this.#reading.get(team) ??
      readUsed(this.#db, [{ team, day }])
        .then(([used]) => {
          const { daily, monthly } = used!
          this.#known.delete(team)
          this.#known.set(team, {
            day,
            readAt: performance.now(),
            daily: daily.sent + daily.received,
            monthly: monthly.sent + monthly.received,
          })
          if (this.#known.size > MAX_TEAMS) this.#known.delete(this.#known.keys().next().value!)
        })
        .catch(() => {})
        .finally(() => this.#reading.delete(team))
    this.#reading.set(team, reading)
    return reading
  }
}
