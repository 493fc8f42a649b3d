import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import type { Clock } from '../../platform/clock.ts'
import { isUnavailable, unwritableOf } from '../../platform/database-errors.ts'
import { Sample } from '../../platform/observability/sample.ts'
import { Connector } from './connector.ts'
import { DatabaseHealth, type HealthLog, type WriteState } from './health.ts'
import { LIMITS, type Limits } from './limits.ts'
import { Pipeline } from './pipeline.ts'
import { Pool } from './pool.ts'
import { Presence, type PresenceOptions } from './presence.ts'
import { Signals } from './signals.ts'
import { type Sql, sql } from './sql.ts'
import { TeamShares } from './team-shares.ts'

export interface Queryable {
  /** What time it is: statements get it as a parameter, and the database is not asked. */
  readonly clock: Clock
  query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]>
}

/** A database whose statements may all take their time. */
export const pooled = (db: Database): Queryable => ({
  clock: db.clock,
  query: (statement) => db.queryPooled(statement),
})

/** Statements that commit together. What asks for one instead of a Queryable must not happen without its cause. */
export interface Transaction extends Queryable {
  /** Wakes those who wait for this channel, here and in other processes, once the transaction has committed. */
  announce(channel: string): void
}

/** How long an answer proves that the database is there. */
const ANSWERED_LATELY_MS = 500

// Three pipelines and a dozen pooled connections: on two cores more of either only raised the p99 (docs/decisions/0002). How many of
// them requests and jobs may hold is in team-shares.ts.
const PIPELINES = 3
export const POOL = 12
const CLOSE_MS = 5_000

const LOOK_FOR_ROOM_MS = 1_000
const ROOM_WITHIN_MS = 1_000

/** Makes a file grow by two megabytes for a moment, in the place where this database has its own. */
const TAKE_ROOM = sql`create temp table room_on_disk on commit drop as select repeat('x', 2000) as x from generate_series(1, 1000)`

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

// `jit` is off: before version 18 the cost that disabling a seq scan adds is beyond jit_above_cost, and compiling takes longer than the search.
const PLAN_A_SEARCH = sql`
  select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'off', true),
    set_config('jit', 'off', true)`

export interface DatabaseOptions {
  readonly clock: Clock
  readonly log?: HealthLog
  readonly limits?: Partial<Limits>
  readonly presence?: PresenceOptions
}

const beginWithin = ({ statementMs, lockMs }: TransactionLimits) =>
  `begin; set local statement_timeout = ${statementMs}; set local lock_timeout = ${lockMs}`

export class Database implements Queryable {
  readonly clock: Clock
  readonly presence: Presence
  readonly signals: Signals
  readonly health: DatabaseHealth
  /** What each team may take of it: see `TeamDatabase`. */
  readonly shares: TeamShares
  readonly #pipelines: Pipeline[]
  readonly #pool: Pool
  readonly #room = new Sample(() => this.#lookForRoom(), { freshMs: LOOK_FOR_ROOM_MS, waitMs: ROOM_WITHIN_MS })

  constructor(config: pg.ClientConfig, options: DatabaseOptions)
  /** Of a database that is there already: another view of the same connections, perhaps with a time of its own. */
  constructor(database: Database, options?: Pick<DatabaseOptions, 'clock'>)
  constructor(config: pg.ClientConfig | Database, options?: DatabaseOptions) {
    if (config instanceof Database) {
      this.clock = options?.clock ?? config.clock
      this.presence = config.presence
      this.signals = config.signals
      this.health = config.health
      this.shares = config.shares
      this.#pipelines = config.#pipelines
      this.#pool = config.#pool
      return
    }
    const { clock, log, presence } = options!
    const limits = { ...LIMITS, ...options!.limits }
    this.clock = clock
    const connector = new Connector(config, limits)
    this.health = new DatabaseHealth(connector, limits, log ?? null)
    const parts = { connector, health: this.health, limits }
    this.#pipelines = Array.from({ length: PIPELINES }, () => new Pipeline(parts))
    this.#pool = new Pool(parts, { statementMs: limits.slowMs, settings: transactionSettings(limits) }, POOL)
    this.presence = new Presence(connector, presence)
    this.presence.on('failed', (error) => this.health.noteUnwritable(error))
    this.presence.on('proven', () => this.health.noteWritable('read_only'))
    this.signals = new Signals(this.presence)
    this.shares = new TeamShares()
  }

  /** A single quick statement, on the pipeline with the least to do. */
  query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    let pipeline = this.#pipelines[0]!
    for (const other of this.#pipelines) if (other.inFlight < pipeline.inFlight) pipeline = other
    return pipeline.query<Row>(statement.toQuery())
  }

  /** A statement that may take its time: on a connection of its own, so that nobody waits behind it. */
  queryPooled<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    return this.#pool.use((connection) => connection.query<Row>(statement.toQuery()))
  }

  /** A statement that writes, and may wait for others who do: on a connection of its own, but nothing that takes long by itself. */
  queryWriting<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    return this.queryPooled<Row>(statement)
  }

  /**
   * A search, whose best plan depends on what is looked for: a custom plan each time. The planner's estimate for a BRIN index is as high
   * as that of a seq scan, so seq scans are disabled.
   */
  search<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    return this.searching((trx) => trx.query<Row>(statement))
  }

  /** The same, for a search of several statements. */
  searching<Result>(work: (trx: Transaction) => Promise<Result>): Promise<Result> {
    return this.transaction(async (trx) => {
      await trx.query(PLAN_A_SEARCH)
      return work(trx)
    })
  }

  async transaction<Result>(work: (trx: Transaction) => Promise<Result>, limits?: TransactionLimits): Promise<Result> {
    const announced = new Set<string>()
    const result = await this.#pool.use(async (connection) => {
      const trx: Transaction = {
        clock: this.clock,
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
    })
    for (const channel of announced) this.signals.announce(channel)
    return result
  }

  /** An error that is about something else says nothing about the disk. */
  async #lookForRoom() {
    const error: unknown = await this.transaction((trx) => trx.query(TAKE_ROOM)).then(
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
