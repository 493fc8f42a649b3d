import { OUTBOX_CHANNEL } from '../outbox/record.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/db/database.ts'
import { isContention, isUnavailable } from '../platform/db/errors.ts'
import { LoopShell } from '../platform/db/loop-shell.ts'
import type { Log } from '../platform/log.ts'
import type { Loop } from '../platform/loop.ts'
import { AUTOMATIONS_CHANNEL } from './channel.ts'
import type { Effects } from './effects.ts'
import { dropFirst, type Progress, workOff } from './engine.ts'
import { findTeams } from './happenings.ts'

/** Happenings to a transaction. With payloads of 64 kB each that is 20 MB. */
const BATCH = 300
/** Teams that are worked on at a time, each on a connection of its own. */
const TEAMS = 3
const MOST_COLLISIONS = 5
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

export interface AutomationParts {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly effects: Effects
  /** Teams that can do nothing for now: their runs wait. */
  readonly teamStates: { readonly suspended: readonly string[] }
}

/**
 * Takes runs on. Teams take turns, a batch each: one that has a million runs due gets no more of it than one that has a single one. There
 * is nothing to claim: a batch is a transaction under the lock of its team, and who crashes leaves it as it was.
 */
export class AutomationWorker {
  readonly #parts: AutomationParts
  readonly #shell: LoopShell
  readonly #loop: Loop
  readonly #busy = new Set<string>()
  /** How many happenings of a team are still to be taken one by one, since a batch of them failed. */
  readonly #careful = new Map<string, number>()
  /** How often in a row somebody else was there first. */
  readonly #collisions = new Map<string, number>()
  /** Where the next look begins. */
  #after = BEFORE_ALL

  constructor(parts: AutomationParts) {
    this.#parts = parts
    this.#shell = new LoopShell(parts, 'automation')
    this.#loop = this.#shell.addLoopOn([AUTOMATIONS_CHANNEL, OUTBOX_CHANNEL], () => this.#look(), 10)
  }

  start() {
    return this.#shell.start()
  }

  /** Begins no more, and waits for what is under way. What does not end in time is rolled back with its connection. */
  async stop(graceMs: number) {
    if (this.#shell.isStopping) return
    await this.#shell.stop()
    await this.#shell.settled(graceMs)
  }

  /** Works until nothing is due, then returns. */
  runDue() {
    return this.#shell.runDue(async () => {
      const isFromTheStart = this.#after === BEFORE_ALL
      return (await this.#begin()) > 0 || !isFromTheStart
    })
  }

  async #look(): Promise<boolean> {
    const isFromTheStart = this.#after === BEFORE_ALL
    const begun = await this.#begin()
    // Those before the one that was worked on last have their turn at once.
    return begun === 0 && !isFromTheStart
  }

  async #begin(): Promise<number> {
    const room = TEAMS - this.#busy.size
    if (room <= 0) return 0
    const { db, clock, teamStates } = this.#parts
    const except = [...this.#busy, ...teamStates.suspended]
    const teams = await findTeams(db, { after: this.#after, except, now: clock.now(), limit: room })
    this.#after = teams.length < room ? BEFORE_ALL : teams.at(-1)!
    for (const team of teams) {
      this.#busy.add(team)
      this.#shell.keep(this.#work(team))
    }
    return teams.length
  }

  async #work(team: string) {
    const progress = (await this.#shell.quietly(() => this.#workOff(team))) ?? 'elsewhere'
    this.#busy.delete(team)
    // Whoever has the team goes on with it; here it is looked at again in a second.
    if (progress !== 'elsewhere' && !this.#shell.isStopping) this.#loop.wake()
  }

  /** A happening that cannot be dealt with costs itself and nothing else: after a batch that failed they are taken one by one. */
  async #workOff(team: string): Promise<Progress> {
    const { db, effects, log } = this.#parts
    const careful = this.#careful.get(team) ?? 0
    try {
      const progress = await workOff(db, effects, team, careful > 0 ? 1 : BATCH)
      if (careful > 1) this.#careful.set(team, careful - 1)
      else this.#careful.delete(team)
      this.#collisions.delete(team)
      return progress
    } catch (error) {
      if (isUnavailable(error)) throw error
      if (isContention(error) && this.#mayTryAgain(team)) return 'more'
      this.#collisions.delete(team)
      if (careful === 0) {
        this.#careful.set(team, BATCH)
        return 'more'
      }
      log.error({ error, team }, 'a step of an automation failed for a reason of ours; its run is given up')
      await dropFirst(db, effects, team)
      return 'more'
    }
  }

  /** Who collides again and again does not collide with somebody, but with a mistake of ours. */
  #mayTryAgain(team: string): boolean {
    const collisions = (this.#collisions.get(team) ?? 0) + 1
    this.#collisions.set(team, collisions)
    return collisions <= MOST_COLLISIONS
  }
}
