import { setTimeout as wait } from 'node:timers/promises'
import { Loop } from '../../platform/concurrency/loop.ts'
import { levelOf } from '../../platform/database-errors.ts'
import type { Log } from '../../platform/observability/log.ts'
import type { Database } from './database.ts'

/** How often a loop looks by itself: wake-ups are hints. */
const POLL_MS = 1_000

/**
 * What all workers have in common: loops that look for work while this node may work, work that is waited for in the end, and
 * errors that are told once.
 */
export class LoopShell {
  readonly #db: Database
  readonly #log: Log
  readonly #name: string
  readonly #loops: { readonly loop: Loop; readonly channels: readonly string[] }[] = []
  readonly #working = new Set<Promise<void>>()
  #stopListening: (() => void)[] = []
  #isStarted = false
  #isStopping = false

  /** `name` is the component that its log lines begin with. */
  constructor({ db, log }: { readonly db: Database; readonly log: Log }, name: string) {
    this.#db = db
    this.#log = log
    this.#name = name
  }

  /**
   * Looks for work while this node may work, whenever one of its channels is announced. `look` tells whether there is more. `restMs`: two
   * looks are at least so far apart. Without a channel it is woken by hand, or looks by itself once in a second.
   */
  addLoopOn(channels: readonly string[], look: () => Promise<boolean>, restMs = 0): Loop {
    const lookIfLeased = async () => this.#db.presence.mayWork && (await look())
    const lookAndTell = async () => {
      const isMore = Boolean(await this.logErrors(lookIfLeased))
      this.#db.signals.tellObservers()
      return isMore
    }
    const loop = new Loop(lookAndTell, { pollMs: POLL_MS, restMs })
    this.#loops.push({ loop, channels })
    return loop
  }

  async start() {
    const { presence, signals } = this.#db
    await presence.start()
    this.#stopListening = this.#loops.flatMap(({ loop, channels }) =>
      channels.map((channel) => signals.work(channel, () => loop.wake())),
    )
    for (const { loop } of this.#loops) loop.start()
    this.#isStarted = true
  }

  /** Looks for work by itself. */
  get isRunning(): boolean {
    return this.#isStarted && !this.#isStopping
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Looks for nothing more. What was begun goes on: `settled` waits for it. */
  async stop() {
    this.#isStopping = true
    for (const end of this.#stopListening.splice(0)) end()
    await Promise.all(this.#loops.map(({ loop }) => loop.stop()))
  }

  /** Resolves when all that was begun has ended, or after the time. */
  async settled(withinMs?: number) {
    const ended = this.#ended()
    await (withinMs === undefined ? ended : Promise.race([ended, wait(withinMs, undefined, { ref: false })]))
  }

  /** Works until a look finds nothing to do, then returns: what tests call instead of waiting for a loop. */
  async runDue(look: () => Promise<boolean>) {
    for (let isMore = true; isMore; ) {
      isMore = await look()
      this.#db.signals.tellObservers()
      if (isMore) await this.settled()
    }
  }

  /** Work that `settled` waits for. It must not reject. */
  track(work: Promise<void>) {
    this.#working.add(work)
    work.then(() => {
      this.#working.delete(work)
      this.#db.signals.tellObservers()
    })
  }

  wakeAll() {
    for (const { loop } of this.#loops) loop.wake()
  }

  /** Nothing when the database is away: the next round tries again. `what` is for the log: what failed. */
  async logErrors<Result>(work: () => Promise<Result>, what = 'claiming due work'): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!this.#isStopping) this.#log[levelOf(error, 'warn')]({ error }, `${this.#name}: ${what} failed`)
      return undefined
    }
  }

  async #ended() {
    while (this.#working.size > 0) await Promise.all(this.#working)
  }
}
