import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { LinkState, SuspensionOf } from '../../kernel/http/suspension.ts'
import { livesIn } from '../../platform/cell.ts'
import { PAUSED_BROADCASTS } from '../broadcasts/reads.ts'
import { MOVES_VERSION, readMoves, type TeamMove } from '../cells/reads.ts'
import { STOPPED_TEAMS } from '../teams/reads.ts'
import { HOLD_SCOPES, type HoldScope, Holds, MAX_HOLDS } from './holds.ts'
import { NO_LIMITS, readAllLimits, type TeamLimits } from './team-limits.ts'

/** Somebody has suspended a team, changed what it may, or holds mail back. */
export const TEAM_STATES_CHANNEL = 'team-states'

/** Why a team can do nothing for now: by the operator, by its owner who has it deleted and may think better of it, or since it changes cells. */
export type Suspension = SuspensionOf

/** How long a link of a team that is held waits. A move that takes longer is answered with an error. */
const MAX_MOVE_WAIT_MS = 20_000
const MOVE_POLL_MS = 200

/**
 * Which teams are suspended, what the limits of teams are, and which mail operators hold back, as this process knows it: asked for with every heartbeat of its node, and at
 * once when somebody says that there is news. So every request can ask, and none asks the database. What is usual is not kept:
 * a team that is not here may do everything.
 */
export class TeamStates {
  readonly #db: Database
  readonly #onMoves: () => Promise<void>
  #suspensions: ReadonlyMap<string, Suspension> = new Map()
  #moves: ReadonlyMap<string, TeamMoves> = new Map()
  #seenMoves = ''
  #limits: ReadonlyMap<string, TeamLimits> = new Map()
  #holds = new Holds()
  /** How often limits had changed when they were read last. */
  #seen = ''
  #loaded: Promise<void> | null = null
  #isLoaded = false
  #reading: Promise<void> | null = null
  #isReadAgain = false

  /** `onMoves`: before it is known that a team has moved, or is about to. */
  constructor(db: Database, onMoves: () => Promise<void> = async () => {}) {
    this.#db = db
    this.#onMoves = onMoves
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

  /** The teams that can do nothing for now, and have something here. */
  get suspended(): readonly string[] {
    return [...this.#suspensions.keys()].filter((team) => !this.#moves.get(team)?.out?.isClean)
  }

  /** The teams for which nothing may be written here, not even what was begun: they change cells at this moment, or have just left. */
  get paused(): readonly string[] {
    return this.suspended.filter((team) => ['moving', 'moved'].includes(this.#suspensions.get(team)!.kind))
  }

  /** Whether any team has moved away, or is about to. */
  get hasMoves(): boolean {
    return this.#moves.size > 0
  }

  linksOf(team: string): LinkState | null {
    const move = this.#moves.get(team)
    if (move?.out?.phase === 'held') return { kind: 'moving' }
    if (move?.out?.phase === 'moved') return { kind: 'moved', url: move.out.url }
    return move?.in?.phase === 'moved' ? { kind: 'here' } : null
  }

  async whenMoved(team: string): Promise<void> {
    const deadline = performance.now() + MAX_MOVE_WAIT_MS
    while (this.linksOf(team)?.kind === 'moving' && performance.now() < deadline)
      await wait(MOVE_POLL_MS, undefined, { ref: false })
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
    const { suspensions, limits, moves, holds, paused } = await readSummary(this.#db)
    if (moves !== this.#seenMoves) {
      await this.#onMoves()
      const found = new Map<string, TeamMoves>()
      for (const move of await readMoves(this.#db))
        found.set(move.team, { ...found.get(move.team), [move.direction]: move })
      this.#moves = found
      this.#seenMoves = moves
    }
    if (limits !== this.#seen) {
      this.#limits = await readAllLimits(this.#db)
      this.#seen = limits
    }
    this.#isLoaded = true
    this.#suspensions = new Map([
      ...suspensions.map(({ team, ...suspension }) => [team, suspension] as const),
      ...[...this.#moves].flatMap(([team, moves]) => stopFor(team, moves)),
    ])
    this.#holds = new Holds(holds, paused)
  }
}

/** A team that has moved away may come back: until it has, it lives elsewhere. */
type TeamMoves = Partial<Record<TeamMove['direction'], TeamMove>>

/** While a team is copied it works where it is, and not yet where it comes to. */
function stopFor(team: string, { out, in: coming }: TeamMoves): (readonly [string, Suspension])[] {
  if (out?.phase === 'moved') return [[team, { kind: 'moved', reason: livesIn(out.cell, out.url) }]]
  const isMoving = out?.phase === 'held' || (coming !== undefined && coming.phase !== 'moved')
  return isMoving ? [[team, { kind: 'moving', reason: null }]] : []
}

interface Summary {
  /** Another one when a team has begun to move or has moved. */
  readonly moves: string
  readonly suspensions: readonly (Suspension & { readonly team: string })[]
  /** Another one when any limit has changed. */
  readonly limits: string
  readonly holds: readonly (HoldScope & { readonly id: string })[]
  /** Broadcasts that have stopped themselves. */
  readonly paused: readonly string[]
}

/** Some 100 µs, however many teams have limits. */
async function readSummary(db: Queryable): Promise<Summary> {
  const [summary] = await db.query<Summary>(SUMMARY)
  return summary!
}

export const SUMMARY = sql`
  select coalesce((select count::text from team_limit_changes), '0') as limits,
    ${MOVES_VERSION} as moves,
    coalesce((
      select json_agg(json_build_object('team', id, 'reason', suspended_reason,
        'kind', case when delete_at is null then 'suspended' else 'to_be_deleted' end))
      from ${STOPPED_TEAMS} found), '[]') as suspensions,
    coalesce(${HOLD_SCOPES}, '[]') as holds,
    coalesce((select json_agg(id) from (select id from ${PAUSED_BROADCASTS} x limit ${MAX_HOLDS}) paused), '[]') as paused`
