import type { Database, Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { STOPPED_TEAMS } from '../teams/reads.ts'
import { type HoldScope, Holds, MAX_HOLDS } from './holds.ts'
import { NO_LIMITS, readAllLimits, type TeamLimits } from './team-limits.ts'

/** Somebody has suspended a team, changed what it may, or holds mail back. */
export const TEAM_STATES_CHANNEL = 'team-states'

/** Why a team can do nothing for now. */
export interface Suspension {
  /** By the operator, or by its owner who has it deleted and may think better of it. */
  readonly kind: 'suspended' | 'to_be_deleted'
  readonly reason: string | null
}

/**
 * Which teams are suspended, what the limits of teams are, and which mail operators hold back, as this process knows it: asked for with every heartbeat of its node, and at
 * once when somebody says that there is news. So every request can ask, and none asks the database. What is usual is not kept:
 * a team that is not here may do everything.
 */
export class TeamStates {
  readonly #db: Database
  #suspensions: ReadonlyMap<string, Suspension> = new Map()
  #limits: ReadonlyMap<string, TeamLimits> = new Map()
  #holds = new Holds()
  /** How often limits had changed when they were read last. */
  #seen = ''
  #loaded: Promise<void> | null = null
  #isLoaded = false
  #reading: Promise<void> | null = null
  #isReadAgain = false

  constructor(db: Database) {
    this.#db = db
  }

  /** Follows what happens elsewhere, until the function that it gives is called. */
  follow(): () => void {
    const { presence, signals } = this.#db
    const refresh = () => void this.refresh().catch(() => {})
    presence.on('renewed', refresh)
    const ignore = signals.watch(TEAM_STATES_CHANNEL, refresh)
    return () => {
      presence.off('renewed', refresh)
      ignore()
    }
  }

  get isLoaded(): boolean {
    return this.#isLoaded
  }

  /** Resolves when it has been read once. */
  load(): Promise<void> {
    if (!this.#loaded) {
      this.#loaded = this.refresh()
      this.#loaded.catch(() => {
        this.#loaded = null
      })
    }
    return this.#loaded
  }

  /** Null: the team may do what it likes. */
  suspensionOf(team: string): Suspension | null {
    return this.#suspensions.get(team) ?? null
  }

  /** The teams that can do nothing for now. */
  get suspended(): readonly string[] {
    return [...this.#suspensions.keys()]
  }

  /** Which mail is not to be sent for now. */
  get holds(): Holds {
    return this.#holds
  }

  limitsOf(team: string): TeamLimits {
    return this.#limits.get(team) ?? NO_LIMITS
  }

  /** Reads what there is now: not what a reading finds that has begun before. */
  refresh(): Promise<void> {
    if (this.#reading) {
      this.#isReadAgain = true
      return this.#reading
    }
    this.#reading = this.#readUntilCurrent().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #readUntilCurrent() {
    do {
      this.#isReadAgain = false
      await this.#read()
    } while (this.#isReadAgain)
  }

  async #read() {
    const { suspensions, limits, holds } = await readSummary(this.#db)
    if (limits !== this.#seen) {
      this.#limits = await readAllLimits(this.#db)
      this.#seen = limits
    }
    this.#isLoaded = true
    this.#suspensions = new Map(suspensions.map(({ team, ...suspension }) => [team, suspension]))
    this.#holds = new Holds(holds)
  }
}

interface Summary {
  readonly suspensions: readonly (Suspension & { readonly team: string })[]
  /** Another one when any limit has changed. */
  readonly limits: string
  readonly holds: readonly (HoldScope & { readonly id: string })[]
}

/** Some 100 µs, however many teams have limits. */
async function readSummary(db: Queryable): Promise<Summary> {
  const [summary] = await db.query<Summary>(SUMMARY)
  return summary!
}

export const SUMMARY = sql`
  select coalesce((select count::text from team_limit_changes), '0') as limits,
    coalesce((
      select json_agg(json_build_object('team', id, 'reason', suspended_reason,
        'kind', case when delete_at is null then 'suspended' else 'to_be_deleted' end))
      from ${STOPPED_TEAMS} found), '[]') as suspensions,
    coalesce((
      select json_agg(json_build_object(
        'id', id, 'team', team_id, 'recipientDomain', recipient_domain, 'senderDomain', sender_domain))
      from (select * from delivery_holds order by id limit ${MAX_HOLDS}) found), '[]') as holds`
