import type { Loop } from '../../platform/concurrency/loop.ts'
import { mayHaveCommitted } from '../../platform/database-errors.ts'
import { isSandbox } from '../../platform/ids.ts'
import type { Log } from '../../platform/observability/log.ts'
import { tracing } from '../../platform/observability/tracing.ts'
import type { Database } from './database.ts'
import { InFlight } from './in-flight.ts'
import { LoopShell } from './loop-shell.ts'
import { LostClaims, POOLED_UNCERTAIN_MS } from './lost-claims.ts'
import { SANDBOXES_CHANNEL } from './sandbox-clocks.ts'
import type { Sql } from './sql.ts'
import { TakeOver } from './take-over.ts'

/** What the shell has to know of the table whose rows a worker claims. */
export interface ClaimedTable<Row> {
  /** For the log: the component that its lines begin with, and what its rows are called. */
  readonly names: { readonly worker: string; readonly rows: string }
  /** Announced when there are rows that were not there before. */
  readonly channel: string
  /** Selects the nodes that hold rows, as `holder`. */
  readonly holders: Sql
  /** Whose a row is: work for a sandbox begins with asking what time it is there. */
  teamOf(row: Row): string
  /** Releases what dead nodes held, and tells how many rows that was. */
  release(nodes: readonly number[]): Promise<number>
  /** Releases what this node holds and does not know of, as if it had never been claimed. */
  releaseUnknown(node: number, known: Iterable<Row>): Promise<unknown>
  /** Rows have come back that were due long ago: the next claim looks at all of them. */
  onReleased?(): void
  /** Rows are not in flight any more. */
  onRemoved?(rows: Iterable<Row>): void
}

/** New rows that a statement is to write as held by this node, without a claim. Ends in one of two ways. */
export interface NewRows<Row> {
  /** These were written, perhaps not all of them. `work` takes them on, and removes them from those in flight. It must not reject. */
  committed(written: readonly Row[], work: (rows: readonly Row[]) => Promise<unknown>): void
  /** They were not, or nobody knows. */
  failed(error: unknown): void
}

/**
 * What all workers have in common that claim rows of a table: mail, events for webhooks, jobs. A claim names this node as the holder of
 * a row, and the node's own row in `nodes` is the lease. A row leaves the node in one of three ways: settled, released when the
 * process stops, or taken over by another node when this one is gone. What is claimed, in which order, and what is done with it is the
 * worker's own business: it adds loops that look for work, claims through `claim`, and tracks what it begins with `track`.
 */
export class WorkerShell<Row> extends LoopShell {
  /** Claimed and not settled. The worker removes what it has settled. */
  readonly inFlight = new InFlight<Row>((rows) => this.#removed(rows))
  readonly #db: Database
  readonly #log: Log
  readonly #table: ClaimedTable<Row>
  readonly #takeOver: TakeOver
  readonly #lostClaims = new LostClaims()
  /** One claim at a time: what is held and not in flight can be told only while no other is under way. */
  #claiming: Promise<unknown> = Promise.resolve()
  #hasReleased = false

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
      logErrors: (work) => this.logErrors(work, 'taking over the claims of dead processes'),
    })
  }

  /** A loop for the rows of the table. */
  addLoop(look: () => Promise<boolean>, { restMs = 0 }: { restMs?: number } = {}): Loop {
    return this.addLoopOn([this.#table.channel], look, restMs)
  }

  override async start() {
    await super.start()
    this.#takeOver.start()
  }

  /** From here on this node holds no row. */
  get hasReleased(): boolean {
    return this.#hasReleased
  }

  /** `release` lets go of what was claimed and has not begun. */
  override async stop() {
    this.#takeOver.stop()
    await super.stop()
  }

  /** Only for work that is harmless when it is done twice: somebody else may begin it while it still goes on here. */
  async release() {
    this.#hasReleased = true
    await this.logErrors(() => this.#table.releaseUnknown(this.#db.presence.node, []), 'releasing claims')
  }

  /** Runs a claim in the name of this node. What it brings is in flight. `isPooled`: its statement has the time of one on a pooled connection. */
  claim<Claimed extends Row>(
    claim: (node: number) => Promise<Claimed[]>,
    { isPooled = false }: { isPooled?: boolean } = {},
  ): Promise<Claimed[]> {
    const { presence } = this.#db
    const claiming = this.#claiming.then(async () => {
      const { node } = presence
      const uncertainMs = isPooled ? POOLED_UNCERTAIN_MS : undefined
      const rows = await this.#lostClaims.claim(
        () => claim(node),
        () => this.#table.releaseUnknown(node, this.inFlight),
        uncertainMs,
      )
      await this.#askForTime(rows)
      this.inFlight.add(rows)
      return rows
    })
    this.#claiming = claiming.catch(() => {})
    return claiming
  }

  /**
   * Whether a statement may write new rows as held by this node (`holdNew`). Not while what is held and not in flight is released: that
   * statement may know less than it sees.
   */
  get canHoldNew(): boolean {
    return this.isRunning && this.#db.presence.mayWork && !this.#lostClaims.isUncertain
  }

  /** There may be rows that are held and not in flight. */
  markUncertain() {
    this.#lostClaims.markUncertain()
  }

  /**
   * Called before the statement is sent: whoever looks for lost claims finds the rows in flight as soon as they are there, and whoever stops
   * waits for them.
   */
  holdNew(rows: readonly Row[]): NewRows<Row> {
    let end = () => {}
    this.inFlight.add(rows)
    this.track(
      new Promise<void>((resolve) => {
        end = resolve
      }),
    )
    return {
      committed: (written, work) => {
        if (written.length < rows.length) {
          const known = new Set(written)
          this.inFlight.remove(rows.filter((row) => !known.has(row)))
        }
        // What is taken on has causes of its own, whoever has committed it.
        const begun =
          written.length === 0 ? Promise.resolve() : tracing ? tracing.run(null, () => work(written)) : work(written)
        void begun.then(end)
      },
      failed: (error) => {
        this.inFlight.remove(rows)
        // If it was written, or still will be, its rows are held and not in flight: lost claims. It was sent on a pooled connection.
        if (mayHaveCommitted(error)) this.#lostClaims.markUncertain(POOLED_UNCERTAIN_MS)
        end()
      },
    }
  }

  /** There is more than this process can take: wakes another one that does the same work. */
  wakePeer() {
    this.#db.signals.wakePeer(this.#table.channel)
  }

  /** Rows that were claimed, and cannot be begun with: they are held and not in flight. */
  async #askForTime(rows: readonly Row[]) {
    try {
      await this.#db.forTeams(rows.map((row) => this.#table.teamOf(row)))
    } catch (error) {
      this.markUncertain()
      throw error
    }
  }

  #removed(rows: Iterable<Row>) {
    this.#table.onRemoved?.(rows)
    this.#tellOfSandboxes(rows)
  }

  /** Whoever moves the clock of a sandbox waits until nothing is under way in it. */
  #tellOfSandboxes(rows: Iterable<Row>) {
    for (const row of rows) if (isSandbox(this.#table.teamOf(row))) return this.#db.signals.announce(SANDBOXES_CHANNEL)
  }

  async #release(nodes: readonly number[]) {
    const released = await this.#table.release(nodes)
    if (released === 0) return
    const { worker, rows } = this.#table.names
    this.#log.warn({ [rows]: released }, `${worker}: took over the claims of a dead process`)
    this.#table.onReleased?.()
    this.wakeAll()
  }
}
