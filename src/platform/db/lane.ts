import pg from 'pg'

interface PipelinedConfig extends pg.ClientConfig {
  pipeline: true
}

/**
 * One pipelined connection: statements are written without waiting for the answers of those before them. For single, quick
 * statements only: a slow one holds up all behind it, and a transaction would mix with other callers' statements.
 * Measured: 1.2 to 1.4 times the rate of a pool at 64 callers, with a lower p99.
 */
export class Lane {
  readonly #config: PipelinedConfig
  #client: Promise<pg.Client> | null = null
  #isGathering = false
  inFlight = 0

  constructor(config: pg.ClientConfig) {
    this.#config = { ...config, pipeline: true, statement_timeout: 30_000 }
  }

  async query<Row>(query: pg.QueryConfig): Promise<Row[]> {
    this.inFlight++
    try {
      this.#client ??= this.#connect()
      const client = await this.#client
      this.#gather(client)
      return (await client.query(query)).rows
    } finally {
      this.inFlight--
    }
  }

  /**
   * Statements of one turn of the event loop leave together. A write wakes PostgreSQL up, and that costs both sides more than
   * a small statement's share of a larger write.
   */
  #gather(client: pg.Client) {
    if (this.#isGathering) return
    this.#isGathering = true
    const { stream } = (client as unknown as { connection: pg.Connection }).connection
    stream.cork()
    setImmediate(() => {
      this.#isGathering = false
      stream.uncork()
    })
  }

  async close() {
    const client = await this.#client?.catch(() => null)
    await client?.end()
  }

  /** A lost connection is forgotten, and the next statement makes a new one. */
  #connect() {
    const client = new pg.Client(this.#config)
    const forget = () => {
      if (this.#client === connected) this.#client = null
    }
    client.on('error', forget)
    client.on('end', forget)
    const connected: Promise<pg.Client> = client.connect().then(() => client)
    connected.catch(forget)
    return connected
  }
}
