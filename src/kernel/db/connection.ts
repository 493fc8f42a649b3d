import pg from 'pg'
import { DatabaseAway, isLost, READ_ONLY } from '../../platform/database-errors.ts'
import { type Backend, type Connector, destroy, leave } from './connector.ts'
import type { DatabaseHealth } from './health.ts'
import { JsonQuery } from './json-query.ts'
import { type Limits, MARGIN_MS } from './limits.ts'
import type { Query } from './sql.ts'

export interface ConnectionParts {
  readonly connector: Connector
  readonly health: DatabaseHealth
  readonly limits: Limits
}

export interface ConnectionOptions {
  readonly isPipelined?: boolean
  /** For one statement. Null: as long as PostgreSQL works at it. */
  readonly statementMs: number | null
  /** PostgreSQL's settings for the session. */
  readonly settings?: Record<string, string>
}

/**
 * A connection on which no answer is waited for in vain. While statements are in flight and not a byte comes, the database is asked
 * on another connection: when it does not answer there either, or does not work at what was asked here, this one is given up.
 * What was in flight rejects, and whoever asks next gets another connection.
 */
export class Connection {
  readonly #session: Backend
  readonly #parts: ConnectionParts
  readonly #silenceMs: number
  readonly #generation: number
  #inFlight = 0
  /** When the last byte came or, after a rest, when the first statement left. */
  #heardAt = performance.now()
  #unsentBytes = 0
  #timer: NodeJS.Timeout | null = null
  #isOpen = true

  private constructor(session: Backend, parts: ConnectionParts, statementMs: number | null) {
    this.#session = session
    this.#parts = parts
    this.#generation = parts.connector.generation
    this.#silenceMs = statementMs === null ? Number.POSITIVE_INFINITY : statementMs + MARGIN_MS
    const { client } = session
    client.connection.stream.on('data', () => {
      this.#heardAt = performance.now()
    })
    client.on('error', () => this.#forget())
    client.on('end', () => this.#forget())
  }

  /** While the database is known to be away this fails at once: whoever waited here would only wait in line. */
  static async open(
    parts: ConnectionParts,
    { isPipelined, statementMs, settings }: ConnectionOptions,
  ): Promise<Connection> {
    const { connector, health } = parts
    health.requirePresent()
    try {
      const session = await connector.connect({
        ...(isPipelined && { isPipelined }),
        settings: { ...settings, statement_timeout: String(statementMs ?? 0) },
      })
      return new Connection(session, parts, statementMs)
    } catch (error) {
      health.noteAway(error)
      throw error
    }
  }

  /** When one connection was forgotten on the way, so were others, and each of them would cost somebody a failure. */
  get isUsable(): boolean {
    const { generation, lastLossAt } = this.#parts.connector
    return this.#isOpen && this.#generation === generation && (this.#inFlight > 0 || this.#heardAt > lastLossAt)
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** How long nothing has happened here. */
  get idleMs(): number {
    return this.#inFlight > 0 ? 0 : performance.now() - this.#heardAt
  }

  get stream() {
    return this.#session.client.connection.stream
  }

  async query<Row>(query: Query | string): Promise<Row[]> {
    if (this.#inFlight++ === 0) this.#beginToWait()
    try {
      return await this.#send<Row>(query)
    } catch (error) {
      // One that leads back to whoever asked: the driver's ends at the socket.
      if (error instanceof Error) Error.captureStackTrace(error)
      this.#parts.health.noteUnwritable(error)
      if ((error as { code?: unknown }).code === READ_ONLY && this.isUsable) this.#parts.connector.generation++
      if (error instanceof DatabaseAway || !isLost(error)) throw error
      this.#forget()
      throw new DatabaseAway((error as Error).message, { cause: error })
    } finally {
      this.#inFlight--
    }
  }

  /**
   * By callback: a promise of the driver's own is three of them. And as a query of the driver's, made of its text: an object with text, name
   * and values is copied property by property first.
   */
  #send<Row>(given: Query | string): Promise<Row[]> {
    const { client, rows } = this.#session
    return new Promise((resolve, reject) => {
      if (isAsJson(given)) {
        rows.expect()
        const query = new JsonQuery(rows, given, (error, json) => {
          rows.end()
          if (error) reject(error)
          else resolve(json as Row[])
        })
        return void client.query(query)
      }
      const { text, name, values }: Query = typeof given === 'string' ? { text: given } : given
      const query: Submitted = new pg.Query(text, values, (error, result) =>
        error ? reject(error) : resolve(result.rows as Row[]),
      )
      query.name = name
      client.query(query)
    })
  }

  /** What is in flight is answered first. Resolves when the other side has closed too, or does not say so within the time. */
  async close(withinMs = MARGIN_MS) {
    this.#isOpen = false
    await leave(this.#session.client, withinMs)
  }

  /** What is in flight rejects with this. PostgreSQL is told to stop working at it, as soon as it listens. */
  abandon(error: DatabaseAway) {
    this.#isOpen = false
    this.#parts.connector.lastLossAt = performance.now()
    destroy(this.#session.client, error)
    this.#parts.health.endBackend(this.#session.backend)
  }

  #forget() {
    this.#isOpen = false
  }

  #beginToWait() {
    this.#heardAt = performance.now()
    if (this.#timer === null) this.#lookIn(this.#parts.limits.probeAfterMs)
  }

  /** One timer for all statements of some seconds: nothing of this is paid for each of them. */
  #lookIn(milliseconds: number, missed = 0) {
    this.#timer = setTimeout(() => this.#look(missed), milliseconds).unref()
  }

  async #look(missed: number) {
    this.#timer = null
    if (this.#inFlight === 0 || !this.#isOpen) return
    const { probeAfterMs } = this.#parts.limits
    const heardAt = this.#heardAt
    const silentMs = performance.now() - heardAt
    if (silentMs < probeAfterMs || this.#isStillSending()) return this.#lookIn(probeAfterMs)
    if (silentMs > this.#silenceMs) return this.abandon(noAnswer(silentMs))
    const state = await this.#parts.health.askAbout(this.#session.backend)
    if (!this.#isOpen || this.#timer !== null) return
    if (heardAt !== this.#heardAt) return this.#lookIn(probeAfterMs)
    // Twice, because its answer may be on the way.
    if (state === 'away' || (state === 'resting' && missed > 0)) return this.abandon(noAnswer(silentMs))
    // A statement that takes its time is asked about less and less often.
    this.#lookIn(
      state === 'working' ? Math.min(silentMs, this.#silenceMs - silentMs + 1) : probeAfterMs,
      state === 'resting' ? 1 : 0,
    )
  }

  /** A large statement on a thin line: the server cannot work at it yet. */
  #isStillSending(): boolean {
    const before = this.#unsentBytes
    this.#unsentBytes = this.stream.writableLength
    return this.#unsentBytes !== before
  }
}

const isAsJson = (query: Query | string): query is Required<Query> => typeof query !== 'string' && Boolean(query.json)

/** PostgreSQL plans what has a name once a connection. */
type Submitted = pg.Query & { name?: string | undefined }

const noAnswer = (silentMs: number) =>
  new DatabaseAway(`The database has not answered for ${Math.round(silentMs / 1_000)} s`)
