import type { Database } from '../../kernel/db/database.ts'
import type { ExchangeLog, ExchangeRecord } from '../../kernel/http/exchange.ts'
import { levelOf } from '../../platform/database-errors.ts'
import type { Log } from '../../platform/observability/log.ts'
import type { Metrics } from '../../platform/observability/metrics.ts'
import { insertLogs } from './queries.ts'

const FLUSH_MS = 200
/** While requests come all the time they are written so often, or when they are many: each batch takes a transaction id. */
const FLUSH_EVERY_MS = 1_000
const FLUSH_CHARACTERS = 1024 * 1024
const BATCH = 500
const MAX_WAITING = 20_000
/** A body beyond this is not kept: the log is there to be read, and a page of 100 items is not what one looks for in it. */
const MAX_BODY_CHARACTERS = 16_384
/** 20,000 entries with all the bodies that they may have would be 640 MB. */
const MAX_WAITING_CHARACTERS = 32 * 1024 * 1024

/**
 * Writes the log of API calls in batches, off the path of the requests. While the database is away entries wait in memory, up
 * to a bound; beyond it the oldest of the team go that has the most of them, and `/metrics` counts them.
 */
export class LogWriter implements ExchangeLog {
  readonly #db: Database
  readonly #log: Log
  readonly #metrics: Metrics
  #waiting: ExchangeRecord[] = []
  #characters = 0
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()
  /** The first batch has been sent before, and nobody knows whether it was written. */
  #mayBeThere = false
  #flushedAt = Number.NEGATIVE_INFINITY

  constructor(db: Database, log: Log, metrics: Metrics) {
    this.#db = db
    this.#log = log
    this.#metrics = metrics
  }

  record(entry: ExchangeRecord) {
    const bounded = {
      ...entry,
      requestBody: withinLimit(entry.requestBody),
      responseBody: withinLimit(entry.responseBody),
    }
    this.#waiting.push(bounded)
    this.#characters += sizeOf(bounded)
    if (this.#waiting.length > MAX_WAITING || this.#characters > MAX_WAITING_CHARACTERS) this.#loseSome()
    this.#timer ??= this.#look()
  }

  #look(): NodeJS.Timeout {
    return setTimeout(() => {
      const isSoon = performance.now() - this.#flushedAt < FLUSH_EVERY_MS
      if (isSoon && this.#characters < FLUSH_CHARACTERS) this.#timer = this.#look()
      else this.flush()
    }, FLUSH_MS).unref()
  }

  /** Resolves when everything that was recorded before the call is written, or has failed to be for now. */
  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#flushedAt = performance.now()
    this.#writing = this.#writing.then(() => this.#writeAll())
    return this.#writing
  }

  /** Whoever fills it loses their own: a team with a few entries keeps them. */
  #loseSome() {
    const counts = new Map<string, number>()
    for (const { team } of this.#waiting) counts.set(team, (counts.get(team) ?? 0) + 1)
    const [[most]] = [...counts].sort(([, a], [, b]) => b - a) as [[string, number]]
    let lost = 0
    this.#waiting = this.#waiting.filter((entry) => {
      if (entry.team !== most || lost >= BATCH) return true
      lost++
      this.#characters -= sizeOf(entry)
      return false
    })
    this.#metrics.loseLogs(lost)
  }

  async #writeAll() {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH)
      try {
        await insertLogs(this.#db, batch, { mayBeThere: this.#mayBeThere })
        this.#mayBeThere = false
        for (const entry of batch) this.#characters -= sizeOf(entry)
      } catch (error) {
        this.#waiting.unshift(...batch)
        this.#mayBeThere = true
        this.#log[levelOf(error, 'warn')](
          { error, waiting: this.#waiting.length },
          'logs: writing API calls failed; they are retried',
        )
        this.#timer ??= setTimeout(() => this.flush(), 10 * FLUSH_MS).unref()
        return
      }
    }
  }
}

const sizeOf = ({ path, userAgent, requestBody, responseBody }: ExchangeRecord) =>
  path.length + (userAgent?.length ?? 0) + (requestBody?.length ?? 0) + (responseBody?.length ?? 0)

const withinLimit = (body: string | null) => (body !== null && body.length <= MAX_BODY_CHARACTERS ? body : null)
