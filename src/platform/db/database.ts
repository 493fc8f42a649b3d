import pg from 'pg'
import { Lane } from './lane.ts'
import { Presence, type PresenceOptions } from './presence.ts'
import { Signals } from './signals.ts'
import { type Sql, sql } from './sql.ts'

export interface Queryable {
  query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]>
}

/** Statements that commit together. What asks for one instead of a Queryable must not happen without its cause. */
export interface Transaction extends Queryable {
  /** Wakes those who wait for this channel, here and in other processes, once the transaction has committed. */
  announce(channel: string): void
}

// Three lanes and ten pooled connections: on two cores more of either only raised the p99 (docs/decisions/0002).
const LANES = 3
const POOL = 10

// And not compiled: before version 18 a plan that is made to look dear looks worth that, and it takes longer than the search.
const PLAN_A_SEARCH = sql`
  select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'off', true),
    set_config('jit', 'off', true)`

export class Database implements Queryable {
  readonly presence: Presence
  readonly signals: Signals
  readonly #lanes: Lane[]
  readonly #pool: pg.Pool

  constructor(config: pg.ClientConfig, options: { presence?: PresenceOptions } = {}) {
    const shared = { application_name: 'postwren', connectionTimeoutMillis: 5_000, keepAlive: true, ...config }
    this.#lanes = Array.from({ length: LANES }, () => new Lane(shared))
    this.#pool = new pg.Pool({ ...shared, max: POOL, idle_in_transaction_session_timeout: 60_000 })
    // Without listeners a connection that the server closes is an uncaught exception. The statement in flight rejects anyway.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => client.on('error', () => {}))
    this.presence = new Presence(shared, options.presence)
    this.signals = new Signals(this.presence)
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

  async transaction<Result>(work: (trx: Transaction) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect()
    const announced = new Set<string>()
    const trx: Transaction = {
      query: async <Row>(statement: Sql) => (await client.query(statement.toQuery())).rows as Row[],
      announce: (channel) => announced.add(channel),
    }
    let result: Result
    try {
      await client.query('begin')
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
      waiting: this.#pool.waitingCount,
      pipelined: this.#lanes.reduce((sum, lane) => sum + lane.inFlight, 0),
    }
  }

  async close() {
    // Last, since it says that this process holds nothing any more.
    await Promise.all([this.#pool.end(), ...this.#lanes.map((lane) => lane.close())])
    await this.presence.close()
  }
}
