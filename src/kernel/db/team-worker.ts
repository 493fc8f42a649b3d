import type { Loop } from '../../platform/concurrency/loop.ts'
import { isContention, isUnavailable } from '../../platform/database-errors.ts'
import { isSandbox } from '../../platform/ids.ts'
import type { Log } from '../../platform/observability/log.ts'
import type { Database } from './database.ts'
import { LoopShell } from './loop-shell.ts'
import { SANDBOXES_CHANNEL } from './sandbox-clocks.ts'

/** What became of a batch. `elsewhere`: another node is at work on this team. */
export type Progress = 'done' | 'more' | 'elsewhere'

/** What is done for teams, a batch in a transaction under a lock of the team. */
export interface TeamWork {
  /** The component that its log lines begin with. */
  readonly name: string
  readonly channels: readonly string[]
  /** Teams that are worked on at a time, each on a connection of its own. */
  readonly teams: number
  /** Items to a transaction. */
  readonly batch: number
  /** Teams that have something to do, in the order of their ids. */
  findTeams(which: {
    readonly after: string
    readonly except: readonly string[]
    readonly limit: number
  }): Promise<string[]>
  /** Deals with up to so many items of a team. */
  work(team: string, limit: number): Promise<Progress>
  /** Which item is the first of a team: another node may deal with it meanwhile, and the next one must not be given up instead. */
  nameFirst(team: string): Promise<string | undefined>
  /** Gives the first item up: it cannot be dealt with, for a reason of ours. `name` is what `nameFirst` has said. */
  dropFirst(team: string, name: string | undefined): Promise<unknown>
  /** What the log says then, after `name`. */
  readonly dropped: string
}

const MAX_COLLISIONS = 5
/** Teams that one look finds: with a look for each turn, a thousand teams that have something to do would be read a thousand times. */
const FOUND_TEAMS = 50
/** Other nodes work, too, and teams are suspended: what was found is looked for again after this long. */
const FOUND_MS = 250
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/**
 * Lets teams take turns, a batch each: one that has a million items due gets no more of it than one that has a single one. There is
 * nothing to claim: a batch is a transaction, and who crashes leaves it as it was.
 */
export class TeamWorker {
  readonly #db: Database
  readonly #work: TeamWork
  readonly #log: Log
  readonly #shell: LoopShell
  readonly #loop: Loop
  readonly #busy = new Set<string>()
  /** How many items of a team are still to be taken one by one, since a batch of them failed. */
  readonly #careful = new Map<string, number>()
  /** How often in a row somebody else was there first. */
  readonly #collisions = new Map<string, number>()
  /** What the last look has found of teams that have had no turn since, in the order of their ids. */
  #found: string[] = []
  #foundAt = 0
  /** There is no team behind those that were found. */
  #isRoundOver = true
  /** Where the next look begins: behind the team that had its turn last. */
  #after = BEFORE_ALL

  constructor(parts: { readonly db: Database; readonly log: Log }, work: TeamWork) {
    this.#db = parts.db
    this.#work = work
    this.#log = parts.log
    this.#shell = new LoopShell(parts, work.name)
    this.#loop = this.#shell.addLoopOn(work.channels, () => this.#look(), 10)
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
    // Who ends wakes the loop. To look again at once would be to spin, with no turn of the event loop for those who are to end.
    if (this.#busy.size >= this.#work.teams) return false
    const isFromTheStart = this.#after === BEFORE_ALL
    const begun = await this.#begin()
    // Those before the one that was worked on last have their turn at once.
    return begun === 0 && !isFromTheStart
  }

  async #begin(): Promise<number> {
    const room = this.#work.teams - this.#busy.size
    if (room <= 0) return 0
    if (this.#found.length === 0 || performance.now() - this.#foundAt > FOUND_MS) await this.#find()
    const teams = this.#found.splice(0, room)
    const isOver = this.#found.length === 0 && this.#isRoundOver
    this.#after = isOver ? BEFORE_ALL : (teams.at(-1) ?? this.#after)
    for (const team of teams) {
      this.#busy.add(team)
      this.#shell.track(this.#workOn(team))
    }
    return teams.length
  }

  async #find() {
    this.#found = await this.#work.findTeams({ after: this.#after, except: [...this.#busy], limit: FOUND_TEAMS })
    this.#foundAt = performance.now()
    this.#isRoundOver = this.#found.length < FOUND_TEAMS
  }

  async #workOn(team: string) {
    const progress = (await this.#shell.logErrors(() => this.#workOff(team), 'working on a team')) ?? 'elsewhere'
    this.#busy.delete(team)
    if (isSandbox(team)) this.#db.signals.announce(SANDBOXES_CHANNEL)
    // Whoever has the team goes on with it; here it is looked at again in a second, unless others wait for their turn.
    const isMore = progress !== 'elsewhere' || this.#found.length > 0
    if (isMore && !this.#shell.isStopping) this.#loop.wake()
  }

  /** An item that cannot be dealt with costs itself and nothing else: after a batch that failed they are taken one by one. */
  async #workOff(team: string): Promise<Progress> {
    const { name, batch, work, nameFirst, dropFirst, dropped } = this.#work
    const careful = this.#careful.get(team) ?? 0
    const first = careful > 0 ? await nameFirst(team) : undefined
    try {
      await this.#db.forTeams([team])
      const progress = await work(team, careful > 0 ? 1 : batch)
      if (careful > 1) this.#careful.set(team, careful - 1)
      else this.#careful.delete(team)
      this.#collisions.delete(team)
      return progress
    } catch (error) {
      if (isUnavailable(error)) throw error
      if (isContention(error) && this.#mayTryAgain(team)) return 'more'
      this.#collisions.delete(team)
      if (careful === 0) {
        this.#careful.set(team, batch)
        return 'more'
      }
      this.#log.error({ error, team }, `${name}: ${dropped}`)
      await dropFirst(team, first)
      return 'more'
    }
  }

  /** Who collides again and again does not collide with somebody, but with a mistake of ours. */
  #mayTryAgain(team: string): boolean {
    const collisions = (this.#collisions.get(team) ?? 0) + 1
    this.#collisions.set(team, collisions)
    return collisions <= MAX_COLLISIONS
  }
}
