import pg from 'pg'
import { Lane } from './lane.ts'
import { Signals } from './signals.ts'
import { type Sql, sql } from './sql.ts'
import { TeamShares } from './team-shares.ts'

export interface Queryable {
  query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]>
}

/** Statements that commit together. What asks for one instead of a Queryable must not happen without its cause. */
export interface Transaction extends Queryable {
  /** Wakes those who wait for this channel, here and in other processes, once the transaction has committed. */
  announce(channel: string): void
}

// Three lanes and a dozen pooled connections: on two cores more of either only raised the p99 (docs/decisions/0002). How many of
// them requests and jobs may hold is in team-shares.ts.
const LANES = 3
const POOL = 12

// And not compiled: before version 18 a plan that is made to look dear looks worth that, and it takes longer than the search.
const PLAN_A_SEARCH = sql`
  select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'off', true),
    set_config('jit', 'off', true)`

export class Database implements Queryable {
  readonly signals: Signals
  /** What each team may take of it: see `TeamDatabase`. */
  readonly shares: TeamShares
  readonly #lanes: Lane[]
  readonly #pool: pg.Pool

  /** Of a database that is there already: another view of the same connections. */
  constructor(config: pg.ClientConfig | Database) {
    if (config instanceof Database) {
      this.signals = config.signals
      this.shares = config.shares
      this.#lanes = config.#lanes
      this.#pool = config.#pool
      return
    }
    this.shares = new TeamShares()
    const shared = { application_name: 'postwren', connectionTimeoutMillis: 5_000, keepAlive: true, ...config }
    this.#lanes = Array.from({ length: LANES }, () => new Lane(shared))
    this.#pool = new pg.Pool({ ...shared, max: POOL, idle_in_transaction_session_timeout: 60_000 })
    // Without listeners a connection that the server closes is an uncaught exception. The statement in flight rejects anyway.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => client.on('error', () => {}))
    this.signals = new Signals(shared)
  }

  /** A single quick statement, on the lane with the least to do. */
  query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    let lane = this.#lanes[0]!
    for (const other of this.#lanes) if (other.inFlight < lane.inFlight) lane = other
    return lane.query<Row>(statement.toQuery())
  }

  /** A statement that may take its time: on a connection of its own, so that nobody waits behind it. */
  async querySlowly<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    return (await this.#pool.query(statement.toQuery())).rows
  }

  /**
   * A search, whose best plan depends on what is looked for: it is planned each time, for its values. An index that tells where
   * something is not (BRIN) is thought to be as good as none, so reading whole tables is made to look dear.
   */
  search<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    return this.transaction(async (trx) => {
      await trx.query(PLAN_A_SEARCH)
      return trx.query<Row>(statement)
    })
  }

  /** `statementMs`: how long each of its statements may take. */
  async transaction<Result>(work: (trx: Transaction) => Promise<Result>, statementMs?: number): Promise<Result> {
    const client = await this.#pool.connect()
    const announced = new Set<string>()
    const trx: Transaction = {
      query: async <Row>(statement: Sql) => (await client.query(statement.toQuery())).rows as Row[],
      announce: (channel) => announced.add(channel),
    }
    let result: Result
    try {
      await client.query(statementMs === undefined ? 'begin' : `begin; set local statement_timeout = ${statementMs}`)
      result = await work(trx)
      await client.query('commit')
    } catch (error) {
      // A connection that cannot roll back is not given to the next caller.
      const rolledBack = await client.query('rollback').then(
        () => true,
        () => false,
      )
      client.release(!rolledBack)
      throw error
    }
    client.release()
    for (const channel of announced) this.signals.announce(channel)
    return result
  }

  /** For `/metrics`. */
  get load() {
    return {
      pooled: this.#pool.totalCount,
      idle: this.#pool.idleCount,
      waiting: this.#pool.waitingCount + this.shares.waiting,
      pipelined: this.#lanes.reduce((sum, lane) => sum + lane.inFlight, 0),
    }
  }

  async close() {
    await Promise.all([this.signals.close(), this.#pool.end(), ...this.#lanes.map((lane) => lane.close())])
  }
}
