import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { Loop } from '../loop.ts'
import type { Database } from './database.ts'
import { levelOf } from './errors.ts'
import { InHand } from './in-hand.ts'
import { LostClaims } from './lost-claims.ts'
import type { Sql } from './sql.ts'
import { TakeOver } from './take-over.ts'

/** How often a loop looks by itself: wake-ups are hints. */
const POLL_MS = 1_000

/** What the shell has to know of the table whose rows a worker claims. */
export interface ClaimedTable<Row> {
  /** For the log: whose worker it is, what its rows are called, and what they are about. */
  readonly names: { readonly worker: string; readonly rows: string; readonly work: string }
  /** Announced when there are rows that were not there before. */
  readonly channel: string
  /** Selects the nodes that hold rows, as `holder`. */
  readonly holders: Sql
  /** Gives back what dead nodes held, and tells how many rows that was. */
  release(nodes: readonly number[]): Promise<number>
  /** Gives back what this node holds and does not know of, as if it had never been claimed. */
  releaseUnknown(node: number, known: Iterable<Row>): Promise<unknown>
  /** Rows have come back that were due long ago: the next claim looks at all of them. */
  onReleased?(): void
}

/**
 * What all workers have in common that claim rows of a table: mail, events for webhooks, jobs. A claim names this node as the holder of
 * a row, and the node's own row in `nodes` is the lease. A row leaves its hands in one of three ways: settled, given back when the
 * process stops, or taken over by another node when this one is gone. What is claimed, in which order, and what is done with it is the
 * worker's own business: it adds loops that look for work, claims through `claim`, and keeps what it begins with `keep`.
 */
export class WorkerShell<Row> {
  /** Claimed and not settled. The worker removes what it has settled. */
  readonly inHand = new InHand<Row>()
  readonly #db: Database
  readonly #log: Log
  readonly #table: ClaimedTable<Row>
  readonly #takeOver: TakeOver
  readonly #lostClaims = new LostClaims()
  readonly #loops: { readonly loop: Loop; readonly channel: string | null }[] = []
  readonly #working = new Set<Promise<void>>()
  /** One claim at a time: what is held and not in hand can be told only while no other is under way. */
  #claiming: Promise<unknown> = Promise.resolve()
  #stopListening: (() => void)[] = []
  #isStopping = false
  #hasGivenBack = false

  constructor({ db, log }: { readonly db: Database; readonly log: Log }, table: ClaimedTable<Row>) {
    this.#db = db
    this.#log = log
    this.#table = table
    this.#takeOver = new TakeOver({
      db,
      holders: table.holders,
      release: (nodes) => this.#release(nodes),
      quietly: (work) => this.quietly(work),
    })
  }

  /**
   * Looks for work while this node may work, whenever its channel is announced. `look` tells whether there is more. `restMs`: two looks
   * are at least so far apart. Without a channel it is woken by hand, or looks by itself once in a second.
   */
  addLoop(
    look: () => Promise<boolean>,
    { channel = this.#table.channel, restMs = 0 }: { channel?: string | null; restMs?: number } = {},
  ): Loop {
    const lookIfProven = async () => this.#db.presence.mayWork && (await look())
    const loop = new Loop(async () => Boolean(await this.quietly(lookIfProven)), { pollMs: POLL_MS, restMs })
    this.#loops.push({ loop, channel })
    return loop
  }

  async start() {
    const { presence, signals } = this.#db
    await presence.start()
    this.#stopListening = this.#loops.flatMap(({ loop, channel }) =>
      channel === null ? [] : [signals.work(channel, () => loop.wake())],
    )
    this.#takeOver.start()
    for (const { loop } of this.#loops) loop.start()
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** From here on nothing is ours any more. */
  get hasGivenBack(): boolean {
    return this.#hasGivenBack
  }

  /** Looks for nothing more. What was begun goes on: `settled` waits for it, and `giveBack` lets go of the rest. */
  async stop() {
    this.#isStopping = true
    for (const end of this.#stopListening.splice(0)) end()
    this.#takeOver.stop()
    await Promise.all(this.#loops.map(({ loop }) => loop.stop()))
  }

  /** Resolves when all that was begun has ended, or after the time. */
  async settled(withinMs?: number) {
    const ended = this.#ended()
    await (withinMs === undefined ? ended : Promise.race([ended, wait(withinMs, undefined, { ref: false })]))
  }

  /** Only for work that is harmless when it is done twice: somebody else may begin it while it still goes on here. */
  async giveBack() {
    this.#hasGivenBack = true
    await this.quietly(() => this.#table.releaseUnknown(this.#db.presence.node, []))
  }

  /** Works until a look finds nothing to do, then returns: what tests call instead of waiting for a loop. */
  async runDue(look: () => Promise<boolean>) {
    while (await look()) await this.settled()
  }

  /** Runs a claim in the name of this node. What it brings is in hand. */
  claim<Claimed extends Row>(claim: (node: number) => Promise<Claimed[]>): Promise<Claimed[]> {
    const { presence } = this.#db
    const claiming = this.#claiming.then(async () => {
      const { node } = presence
      const rows = await this.#lostClaims.claim(
        () => claim(node),
        () => this.#table.releaseUnknown(node, this.inHand),
      )
      this.inHand.add(rows)
      return rows
    })
    this.#claiming = claiming.catch(() => {})
    return claiming
  }

  /** There may be rows that are held and not in hand. */
  suspect() {
    this.#lostClaims.suspect()
  }

  /** There is more than this process can take: another one is woken. */
  passOn() {
    this.#db.signals.passOn(this.#table.channel)
  }

  /** Something that `settled` waits for. It must not reject. */
  keep(work: Promise<void>) {
    this.#working.add(work)
    work.finally(() => this.#working.delete(work))
  }

  /** Nothing when the database is away: the next round tries again. */
  async quietly<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      const { worker } = this.#table.names
      if (!this.#isStopping)
        this.#log[levelOf(error, 'warn')]({ error }, `the ${worker} worker could not reach the database`)
      return undefined
    }
  }

  async #ended() {
    while (this.#working.size > 0) await Promise.all(this.#working)
  }

  async #release(nodes: readonly number[]) {
    const released = await this.#table.release(nodes)
    if (released === 0) return
    const { rows, work } = this.#table.names
    this.#log.warn({ [rows]: released }, `took over ${work} of a process that is gone`)
    this.#table.onReleased?.()
    for (const { loop } of this.#loops) loop.wake()
  }
}
