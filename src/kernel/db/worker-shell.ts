import type { Loop } from '../../platform/concurrency/loop.ts'
import { isSandbox } from '../../platform/ids.ts'
import type { Log } from '../../platform/observability/log.ts'
import type { Database } from './database.ts'
import { InHand } from './in-hand.ts'
import { LoopShell } from './loop-shell.ts'
import { LostClaims } from './lost-claims.ts'
import { refreshClocks, SANDBOXES_CHANNEL } from './sandbox-clocks.ts'
import type { Sql } from './sql.ts'
import { TakeOver } from './take-over.ts'

/** What the shell has to know of the table whose rows a worker claims. */
export interface ClaimedTable<Row> {
  /** For the log: whose worker it is, what its rows are called, and what they are about. */
  readonly names: { readonly worker: string; readonly rows: string; readonly work: string }
  /** Announced when there are rows that were not there before. */
  readonly channel: string
  /** Selects the nodes that hold rows, as `holder`. */
  readonly holders: Sql
  /** Whose a row is: work for a sandbox begins with asking what time it is there. */
  teamOf(row: Row): string
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
export class WorkerShell<Row> extends LoopShell {
  /** Claimed and not settled. The worker removes what it has settled. */
  readonly inHand = new InHand<Row>((rows) => this.#tellOfSandboxes(rows))
  readonly #db: Database
  readonly #log: Log
  readonly #table: ClaimedTable<Row>
  readonly #takeOver: TakeOver
  readonly #lostClaims = new LostClaims()
  /** One claim at a time: what is held and not in hand can be told only while no other is under way. */
  #claiming: Promise<unknown> = Promise.resolve()
  #hasGivenBack = false

  constructor(parts: { readonly db: Database; readonly log: Log }, table: ClaimedTable<Row>) {
    super(parts, table.names.worker)
    const { db, log } = parts
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

  /** A loop for the rows of the table, unless another channel is named, or none. */
  addLoop(
    look: () => Promise<boolean>,
    { channel = this.#table.channel, restMs = 0 }: { channel?: string | null; restMs?: number } = {},
  ): Loop {
    return this.addLoopOn(channel === null ? [] : [channel], look, restMs)
  }

  override async start() {
    await super.start()
    this.#takeOver.start()
  }

  /** From here on nothing is ours any more. */
  get hasGivenBack(): boolean {
    return this.#hasGivenBack
  }

  /** `giveBack` lets go of what was claimed and has not begun. */
  override async stop() {
    this.#takeOver.stop()
    await super.stop()
  }

  /** Only for work that is harmless when it is done twice: somebody else may begin it while it still goes on here. */
  async giveBack() {
    this.#hasGivenBack = true
    await this.quietly(() => this.#table.releaseUnknown(this.#db.presence.node, []))
  }

  /** Runs a claim in the name of this node. What it brings is in hand. */
  claim<Claimed extends Row>(claim: (node: number) => Promise<Claimed[]>): Promise<Claimed[]> {
    const { presence } = this.#db
    const claiming = this.#claiming.then(async () => {
      const { node } = presence
      const rows = await this.#lostClaims.claim(
        async () => {
          const claimed = await claim(node)
          await refreshClocks(
            this.#db,
            claimed.map((row) => this.#table.teamOf(row)),
          )
          return claimed
        },
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

  /** Whoever moves the clock of a sandbox waits until nothing is under way in it. */
  #tellOfSandboxes(rows: Iterable<Row>) {
    for (const row of rows) if (isSandbox(this.#table.teamOf(row))) return this.#db.signals.announce(SANDBOXES_CHANNEL)
  }

  async #release(nodes: readonly number[]) {
    const released = await this.#table.release(nodes)
    if (released === 0) return
    const { rows, work } = this.#table.names
    this.#log.warn({ [rows]: released }, `took over ${work} of a process that is gone`)
    this.#table.onReleased?.()
    this.wakeAll()
  }
}
