import type pg from 'pg'
import type { Clock } from '../../platform/clock.ts'
import { type ConnectionOptions, Connections, type TransactionLimits } from './connections.ts'
import type { DatabaseHealth, WriteState } from './health.ts'
import type { Presence } from './presence.ts'
import { refreshClocks } from './sandbox-clocks.ts'
import { NO_SHARE, SHARES, type Share } from './share.ts'
import type { Signals } from './signals.ts'
import { type Sql, sql } from './sql.ts'
import type { TeamShares } from './team-shares.ts'

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

export type Work<Result> = (trx: Transaction) => Promise<Result>

/** Records what a request changes, in the transaction that changes it. */
export interface ChangeRecorder {
  /** What is changed from here on needs no record. */
  readonly isDone: boolean
  /** Runs the work in a transaction, and records it before the commit. */
  record<Result>(change: Change<Result>): Promise<Result>
}

export interface Change<Result> {
  readonly work: Work<Result>
  /** Runs it in a transaction. */
  begin(work: Work<Result>): Promise<Result>
  /** Sees what there was before the transaction. */
  readonly before: Queryable
}

export interface TeamView {
  /** Requests have limits on the time of each statement; jobs have fewer connections, and as much time as they need. */
  readonly share?: keyof typeof SHARES
  /** Of a request whose endpoint is audited. */
  readonly recorder?: ChangeRecorder | null
}

const PLAN_A_SEARCH = sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`

const PLAN_ONCE = sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`

export interface DatabaseOptions extends ConnectionOptions {
  readonly clock: Clock
}

/** A view of the database: its connections, what time it is, whose share of the connections it uses, and what is recorded of changes. */
export class Database implements Queryable {
  readonly clock: Clock
  readonly #connections: Connections
  readonly #share: Share
  readonly #recorder: ChangeRecorder | null

  private constructor(connections: Connections, clock: Clock, share: Share, recorder: ChangeRecorder | null) {
    this.clock = clock
    this.#connections = connections
    this.#share = share
    this.#recorder = recorder
  }

  /** As the process itself has it: nothing is held back for others. */
  static connect(config: pg.ClientConfig, { clock, ...options }: DatabaseOptions): Database {
    return new Database(new Connections(config, clock, options), clock, NO_SHARE, null)
  }

  /** The same connections in another time. */
  withClock(clock: Clock): Database {
    return new Database(this.#connections, clock, this.#share, this.#recorder)
  }

  /**
   * Where work for a team begins: the database within the team's share, with its clock as it is now (another process may have moved that of
   * a sandbox) and with what records its changes. Unless the team is a sandbox there is nothing to wait for, and this is no promise.
   */
  forTeam(team: string, { share = 'requests', recorder = null }: TeamView = {}): Database | Promise<Database> {
    const own = new Database(this.#connections, this.clock, SHARES[share](this.shares, team), recorder)
    const refreshed = refreshClocks(this, [team])
    return refreshed ? refreshed.then(() => own) : own
  }

  /** Where work for several teams begins that the process does for all of them: their clocks as they are now, and nobody's share. */
  forTeams(teams: Iterable<string>): Database | Promise<Database> {
    const refreshed = refreshClocks(this, teams)
    return refreshed ? refreshed.then(() => this) : this
  }

  get presence(): Presence {
    return this.#connections.presence
  }

  get signals(): Signals {
    return this.#connections.signals
  }

  get health(): DatabaseHealth {
    return this.#connections.health
  }

  /** What each team may take. */
  get shares(): TeamShares {
    return this.#connections.shares
  }

  /** A single quick statement, on a pipeline. */
  query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    if (statement.isWrite && this.#recorder?.isDone === false)
      return this.transaction((trx) => trx.query<Row>(statement))
    return this.#share.statement(() => this.#connections.query<Row>(statement))
  }

  /** A statement that may take its time: on a connection of its own, so that nobody waits behind it. */
  queryPooled<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    return this.#share.slow(() => this.queryWriting<Row>(statement))
  }

  /**
   * A statement that writes, and may wait for others who do: on a connection of its own, but nothing that takes long by itself. In a
   * transaction where there are limits, since that is where they can be set for it alone.
   */
  queryWriting<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    if (this.#share.limits) return this.transaction((trx) => trx.query<Row>(statement))
    return this.#share.connection(() => this.#connections.queryPooled<Row>(statement))
  }

  /** A search, whose best plan depends on what is looked for: a custom plan each time. */
  search<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    return this.searching((trx) => trx.query<Row>(statement))
  }

  /** The same, for a search of several statements. */
  searching<Result>(work: Work<Result>): Promise<Result> {
    return this.#share.slow(() =>
      this.transaction(async (trx) => {
        await trx.query(PLAN_A_SEARCH)
        return work(trx)
      }),
    )
  }

  /**
   * The opposite of a search: one plan for all values, which a connection keeps. For a statement over many partitions that reads little of each: planning it
   * takes longer than its work, and PostgreSQL, which expects more of a range that it does not know, would plan it anew each time.
   */
  queryPlannedOnce<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    return this.#share.slow(() =>
      this.transaction(async (trx) => {
        await trx.query(PLAN_ONCE)
        return trx.query<Row>(statement)
      }),
    )
  }

  /** The limits are for a view that has none of its own. */
  transaction<Result>(work: Work<Result>, limits: TransactionLimits | null = null): Promise<Result> {
    const begin = (inside: Work<Result>) =>
      this.#share.connection(() => this.#connections.transaction(this.clock, inside, this.#share.limits ?? limits))
    const recorder = this.#recorder
    if (!recorder || recorder.isDone) return begin(work)
    return recorder.record({ work, begin, before: this.#before() })
  }

  /** On the pipeline, which sees what a transaction has not committed as it was before. */
  #before(): Queryable {
    return {
      clock: this.clock,
      query: (statement) => this.#share.statement(() => this.#connections.query(statement)),
    }
  }

  /** For `/metrics`. */
  get load() {
    return this.#connections.load
  }

  isAnswering(withinMs: number): Promise<boolean> {
    return this.#connections.isAnswering(withinMs)
  }

  readWriteState(): Promise<WriteState> {
    return this.#connections.readWriteState()
  }

  close(withinMs?: number): Promise<void> {
    return this.#connections.close(withinMs)
  }
}
