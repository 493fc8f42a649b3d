import { setTimeout as realTimeout } from 'node:timers'
import pg from 'pg'
import { type Sql, sql } from '../../src/kernel/db/sql.ts'

/** How long a statement may take until somebody asks whether it waits for a lock. */
const ASK_AFTER_MS = 5
/** So many turns of the event loop in which nothing was sent, answered or stopped at a barrier: whatever ran has ended. */
const QUIET_TURNS = 4

// Taken before a test holds the time: PostgreSQL is not part of it.
const wait = (milliseconds: number) => new Promise<void>((resolve) => realTimeout(resolve, milliseconds))
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * Connections to a real PostgreSQL that have no time limits of their own, and know when everything is quiet: all statements are answered,
 * or wait for a lock that somebody at a barrier holds.
 */
export class Sessions {
  readonly #config: pg.ClientConfig
  readonly #watcher: pg.Client
  readonly #idle: pg.Client[] = []
  readonly #taken = new Set<pg.Client>()
  #inFlight = 0
  /** Rises with whatever happens. */
  #moves = 0
  /** What else has to end before it is quiet. */
  #steps = 0

  private constructor(config: pg.ClientConfig, watcher: pg.Client) {
    this.#config = config
    this.#watcher = watcher
  }

  static async open(config: pg.ClientConfig): Promise<Sessions> {
    const watcher = new pg.Client(config)
    await watcher.connect()
    return new Sessions(config, watcher)
  }

  /** For whoever stops at a barrier, or goes on. */
  noteMove() {
    this.#moves++
  }

  /** It is not quiet before this has ended. */
  async during<Result>(step: () => Promise<Result>): Promise<Result> {
    this.#steps++
    try {
      return await step()
    } finally {
      this.#steps--
      this.#moves++
    }
  }

  async take(): Promise<pg.Client> {
    const client = this.#idle.pop() ?? (await this.#connect())
    this.#taken.add(client)
    return client
  }

  giveBack(client: pg.Client) {
    if (this.#taken.delete(client)) this.#idle.push(client)
  }

  async send(client: pg.Client, statement: Sql | string): Promise<pg.QueryResult> {
    this.#inFlight++
    this.#moves++
    try {
      return await (typeof statement === 'string' ? client.query(statement) : client.query(statement.toQuery()))
    } finally {
      this.#inFlight--
      this.#moves++
    }
  }

  async query<Row>(statement: Sql): Promise<{ rows: Row[]; rowCount: number }> {
    const client = await this.take()
    try {
      const { rows, rowCount } = await this.send(client, statement)
      return { rows, rowCount: rowCount ?? 0 }
    } finally {
      this.giveBack(client)
    }
  }

  /** Resolves when nothing goes on by itself any more. */
  async quiet() {
    for (;;) {
      await this.#untilStill()
      if (this.#steps > 0) continue
      if (this.#inFlight === 0) return
      const moves = this.#moves
      await wait(ASK_AFTER_MS)
      if (moves === this.#moves && (await this.#countBlocked()) === this.#inFlight && moves === this.#moves) return
    }
  }

  /** Cuts what a run that failed has left open. */
  async cut() {
    const cut = [...this.#taken].map(async (client) => {
      await client.end().catch(() => {})
    })
    for (const client of this.#taken) client.connection.stream.destroy()
    this.#taken.clear()
    await Promise.all(cut)
    this.#inFlight = 0
  }

  async close() {
    await this.cut()
    await Promise.all([this.#watcher, ...this.#idle.splice(0)].map((client) => client.end()))
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config)
    client.on('error', () => {})
    await this.during(() => client.connect())
    return client
  }

  async #untilStill() {
    let moves = this.#moves
    for (let turns = 0; turns < QUIET_TURNS; turns++) {
      await nextTurn()
      if (moves !== this.#moves) turns = 0
      moves = this.#moves
    }
  }

  async #countBlocked(): Promise<number> {
    const { rows } = await this.#watcher.query<{ count: number }>(
      sql`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and state = 'active' and cardinality(pg_blocking_pids(pid)) > 0`.toQuery(),
    )
    return rows[0]!.count
  }
}
