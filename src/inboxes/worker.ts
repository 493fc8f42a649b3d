import { OUTBOX_CHANNEL } from '../outbox/record.ts'
import type { Database } from '../platform/db/database.ts'
import { isContention, isUnavailable } from '../platform/db/errors.ts'
import { LoopShell } from '../platform/db/loop-shell.ts'
import type { Log } from '../platform/log.ts'
import type { Loop } from '../platform/loop.ts'
import { fileSome, type Progress } from './file.ts'
import { dropNote, findTeams, unfiledMail } from './notes.ts'

/** Teams whose mail is filed at a time, each on a connection of its own. */
const TEAMS = 2
const MOST_COLLISIONS = 5
/** How many messages are filed one by one after a batch that failed. */
const CAREFUL = 500
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/**
 * Files mail into inboxes. Teams take turns, a batch each: one that has a million mails waits no less than one that has a single one. There
 * is nothing to claim: a batch is a transaction under a lock of its team, and who crashes leaves it as it was.
 */
export class FilingWorker {
  readonly #db: Database
  readonly #log: Log
  readonly #shell: LoopShell
  readonly #loop: Loop
  readonly #busy = new Set<string>()
  /** How many messages of a team are still to be filed one by one, since a batch of them failed. */
  readonly #careful = new Map<string, number>()
  /** How often in a row somebody else was there first. */
  readonly #collisions = new Map<string, number>()
  /** Where the next look begins. */
  #after = BEFORE_ALL

  constructor(parts: { readonly db: Database; readonly log: Log }) {
    this.#db = parts.db
    this.#log = parts.log
    this.#shell = new LoopShell(parts, 'filing')
    this.#loop = this.#shell.addLoopOn([OUTBOX_CHANNEL], () => this.#look(), 10)
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

  /** Works until nothing waits, then returns. */
  runDue() {
    return this.#shell.runDue(async () => {
      const isFromTheStart = this.#after === BEFORE_ALL
      return (await this.#begin()) > 0 || !isFromTheStart
    })
  }

  async #look(): Promise<boolean> {
    const isFromTheStart = this.#after === BEFORE_ALL
    const begun = await this.#begin()
    // Those before the one that had its turn last have theirs at once.
    return begun === 0 && !isFromTheStart
  }

  async #begin(): Promise<number> {
    const room = TEAMS - this.#busy.size
    if (room <= 0) return 0
    const teams = await findTeams(this.#db, { after: this.#after, except: [...this.#busy], limit: room })
    this.#after = teams.length < room ? BEFORE_ALL : teams.at(-1)!
    for (const team of teams) {
      this.#busy.add(team)
      this.#shell.keep(this.#work(team))
    }
    return teams.length
  }

  async #work(team: string) {
    const progress = (await this.#shell.quietly(() => this.#file(team))) ?? 'elsewhere'
    this.#busy.delete(team)
    // Whoever has the team goes on with it; here it is looked at again in a second.
    if (progress !== 'elsewhere' && !this.#shell.isStopping) this.#loop.wake()
  }

  /** A message that cannot be filed costs itself and nothing else: after a batch that failed they are taken one by one. */
  async #file(team: string): Promise<Progress> {
    const careful = this.#careful.get(team) ?? 0
    const [first] = careful > 0 ? await unfiledMail.oldest(this.#db, team, 1) : []
    try {
      const progress = await fileSome(this.#db, team, { isCareful: careful > 0 })
      if (careful > 1 && progress === 'more') this.#careful.set(team, careful - 1)
      else this.#careful.delete(team)
      this.#collisions.delete(team)
      return progress
    } catch (error) {
      if (isUnavailable(error)) throw error
      if (isContention(error) && this.#mayTryAgain(team)) return 'more'
      this.#collisions.delete(team)
      if (first === undefined) {
        this.#careful.set(team, CAREFUL)
        return 'more'
      }
      this.#log.error({ error, team }, 'a message could not be filed for a reason of ours; it is in no inbox')
      await this.#db.transaction((trx) => dropNote(trx, team, first))
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
