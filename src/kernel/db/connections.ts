import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import type { Clock } from '../../platform/clock.ts'
import { isUnavailable, unwritableOf } from '../../platform/database-errors.ts'
import { Sample } from '../../platform/observability/sample.ts'
import { ROLES } from '../../platform/settings/config.ts'
import { type ConnectionBudget, connectionBudget } from '../../platform/settings/connection-budget.ts'
import { Connector } from './connector.ts'
import type { Transaction } from './database.ts'
import { DatabaseHealth, type HealthLog, type WriteState } from './health.ts'
import { LIMITS, type Limits } from './limits.ts'
import { Pipeline } from './pipeline.ts'
import { Pool } from './pool.ts'
import { Presence, type PresenceOptions } from './presence.ts'
import { Signals } from './signals.ts'
import { type Sql, sql } from './sql.ts'
import { TeamShares } from './team-shares.ts'
import { withMovedRows } from './with-retries.ts'

/** How long an answer proves that the database is there. */
const ANSWERED_LATELY_MS = 500

/** Of commands, and of whoever else has no roles: on whichever server, the lease of an embedded one left out. */
const USUAL_BUDGET = connectionBudget({ ROLES, DATABASE_URL: 'any' })
export const POOL = USUAL_BUDGET.pooled
const CLOSE_MS = 5_000

const DISK_PROBE_EVERY_MS = 1_000
const DISK_PROBE_TIMEOUT_MS = 1_000

/** Makes a file grow by two megabytes for a moment, in the place where this database has its own. */
const ALLOCATE_DISK = sql`create temp table disk_check on commit drop as select repeat('x', 2000) as x from generate_series(1, 1000)`

/** A transaction whose caller is gone without a word lets go of its locks; and one that waits for a lock does not wait for ever. */
const transactionSettings = ({ lockMs }: Limits) => ({
  idle_in_transaction_session_timeout: '60000',
  lock_timeout: String(lockMs),
})

/** Of one transaction. */
export interface TransactionLimits {
  /** For each of its statements. */
  readonly statementMs: number
  /** For each lock that it waits for. */
  readonly lockMs: number
}

export interface ConnectionOptions {
  readonly log?: HealthLog
  readonly limits?: Partial<Limits>
  readonly presence?: PresenceOptions
  readonly budget?: ConnectionBudget
}

const beginWithin = ({ statementMs, lockMs }: TransactionLimits) =>
  `begin; set local statement_timeout = ${statementMs}; set local lock_timeout = ${lockMs}`

/** The connections of a process to its database, which all views of it (`Database`) have in common, and what is known through them. */
export class Connections {
  readonly presence: Presence
  readonly signals: Signals
  readonly health: DatabaseHealth
  /** What each team may take of them. */
  readonly shares: TeamShares
  readonly #pipelines: Pipeline[]
  readonly #pool: Pool
  readonly #room: Sample<void>

  constructor(config: pg.ClientConfig, clock: Clock, options: ConnectionOptions) {
    const { log, presence, limits: given, budget = USUAL_BUDGET } = options
    this.shares = new TeamShares(budget)
    const limits = { ...LIMITS, ...given }
    const connector = new Connector(config, limits, budget.sessions)
    this.health = new DatabaseHealth(connector, limits, log ?? null)
    const parts = { connector, health: this.health, limits }
    this.#pipelines = Array.from({ length: budget.pipelines }, () => new Pipeline(parts))
    this.#pool = new Pool(parts, { statementMs: limits.slowMs, settings: transactionSettings(limits) }, budget.pooled)
    this.#room = new Sample(() => this.#lookForRoom(clock), {
      freshMs: DISK_PROBE_EVERY_MS,
      waitMs: DISK_PROBE_TIMEOUT_MS,
    })
    this.presence = new Presence(connector, presence)
    this.presence.advertise({ connections: budget.max })
    this.presence.on('failed', (error) => this.health.noteUnwritable(error))
    this.presence.on('renewed', () => this.health.noteWritable('read_only'))
    this.signals = new Signals(this.presence)
  }

  /** On the pipeline with the least to do. */
  query<Row>(statement: Sql): Promise<Row[]> {
    return statement.isWrite
      ? withMovedRows(() => this.#queryPipelined<Row>(statement))
      : this.#queryPipelined<Row>(statement)
  }

  #queryPipelined<Row>(statement: Sql): Promise<Row[]> {
    let pipeline = this.#pipelines[0]!
    for (const other of this.#pipelines) if (other.inFlight < pipeline.inFlight) pipeline = other
    return pipeline.query<Row>(statement.toQuery())
  }

  /** On a connection of its own. */
  queryPooled<Row>(statement: Sql): Promise<Row[]> {
    return this.#pool.use((connection) => withMovedRows(() => connection.query<Row>(statement.toQuery())))
  }

  /** The work is done again when it met a row that has moved: see `withMovedRows`. */
  async transaction<Result>(
    clock: Clock,
    work: (trx: Transaction) => Promise<Result>,
    limits: TransactionLimits | null,
  ): Promise<Result> {
    const announced = new Set<string>()
    const result = await this.#pool.use((connection) =>
      withMovedRows(async () => {
        announced.clear()
        const trx: Transaction = {
          clock,
          query: (statement) => connection.query(statement.toQuery()),
          announce: (channel) => announced.add(channel),
        }
        try {
          await connection.query(limits ? beginWithin(limits) : 'begin')
          const done = await work(trx)
          await connection.query('commit')
          return done
        } catch (error) {
          // A connection that cannot roll back is not given to the next caller.
          await connection.query('rollback').catch(() => connection.close())
          throw error
        }
      }),
    )
    for (const channel of announced) this.signals.announce(channel)
    return result
  }

  /** An error that is about something else says nothing about the disk. */
  async #lookForRoom(clock: Clock) {
    const error: unknown = await this.transaction(clock, (trx) => trx.query(ALLOCATE_DISK), null).then(
      () => null,
      (failed) => failed,
    )
    if (unwritableOf(error) !== 'disk_full' && !isUnavailable(error)) this.health.noteWritable('disk_full')
  }

  /** For `/metrics`. */
  get load() {
    const { waiting, ...pool } = this.#pool.load
    const pipelined = this.#pipelines.reduce((sum, pipeline) => sum + pipeline.inFlight, 0)
    return { ...pool, waiting: waiting + this.shares.waiting, pipelined }
  }

  /**
   * Whether statements are answered, and soon. One that was answered a moment ago says so: whoever asks does not stand in line behind
   * the statements of others, which may be many.
   */
  async isAnswering(withinMs: number): Promise<boolean> {
    if (this.health.isAway) return false
    if (this.#pipelines.some(({ answeredAt }) => performance.now() - answeredAt < ANSWERED_LATELY_MS)) return true
    const answered = this.query(sql`select`).then(
      () => true,
      () => false,
    )
    return Promise.race([answered, wait(withinMs, false, { ref: false })])
  }

  /**
   * Whether it can be written to. Nothing is written for it while all is well: statements that fail tell, and the heartbeat. A heartbeat
   * needs no room on the disk, so of a disk that was full somebody has to ask whether there is room again.
   */
  async readWriteState(): Promise<WriteState> {
    if (this.health.writeState === 'disk_full') await this.#room.get()
    return this.health.writeState
  }

  /** What is in flight is answered first, if that happens within the time. */
  async close(withinMs = CLOSE_MS) {
    this.health.close()
    const time = wait(withinMs, undefined, { ref: false })
    const closed = Promise.all([this.#pool.close(), ...this.#pipelines.map((pipeline) => pipeline.close())])
    await Promise.race([closed, time])
    // Last, since it says that this process holds nothing any more.
    await Promise.race([this.presence.close(), time])
  }
}
