import { DatabaseAway, DatabaseBusy } from '../../platform/database-errors.ts'
import { Connection, type ConnectionOptions, type ConnectionParts } from './connection.ts'

interface Waiting {
  resolve(connection: Connection): void
  reject(error: unknown): void
  readonly timer: NodeJS.Timeout
}

/**
 * Connections for one caller at a time, made when they are needed. Whoever finds none free waits, up to a limit; one that rests
 * for long is closed. The driver's own pool does not know several hosts, and throws a connection away with each statement that fails.
 */
export class Pool {
  readonly #parts: ConnectionParts
  readonly #options: ConnectionOptions
  readonly #max: number
  /** The one used last comes first, so that the others can be closed. */
  readonly #idle: Connection[] = []
  readonly #waiting: Waiting[] = []
  #taken = 0
  #sweep: NodeJS.Timeout | null = null
  #isClosed = false
  #emptied = () => {}

  constructor(parts: ConnectionParts, options: ConnectionOptions, max: number) {
    this.#parts = parts
    this.#options = options
    this.#max = max
  }

  get load() {
    return { pooled: this.#idle.length + this.#taken, idle: this.#idle.length, waiting: this.#waiting.length }
  }

  /** Lends a connection for the time of the work. */
  async use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const connection = await this.#take()
    try {
      return await work(connection)
    } finally {
      this.#giveBack(connection)
    }
  }

  /** Resolves when all have been given back and closed. */
  async close() {
    this.#isClosed = true
    if (this.#sweep) clearTimeout(this.#sweep)
    for (const { reject, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer)
      reject(closed())
    }
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()))
    if (this.#taken === 0) return
    await new Promise<void>((resolve) => {
      this.#emptied = resolve
    })
  }

  async #take(): Promise<Connection> {
    if (this.#isClosed) throw closed()
    for (let connection = this.#idle.pop(); connection; connection = this.#idle.pop()) {
      if (connection.isUsable && connection.idleMs < this.#parts.limits.idleMs) {
        this.#taken++
        return connection
      }
      connection.close()
    }
    if (this.#taken < this.#max) return this.#open()
    return new Promise((resolve, reject) => {
      const waiting = { resolve, reject, timer: setTimeout(() => this.#giveUp(waiting), this.#parts.limits.poolMs) }
      this.#waiting.push(waiting)
    })
  }

  async #open(): Promise<Connection> {
    this.#taken++
    try {
      return await Connection.open(this.#parts, this.#options)
    } catch (error) {
      this.#free()
      throw error
    }
  }

  #giveBack(connection: Connection) {
    const next = connection.isUsable && !this.#isClosed ? this.#nextWaiting() : undefined
    if (next) return next.resolve(connection)
    if (connection.isUsable && !this.#isClosed) {
      this.#idle.push(connection)
      this.#sweep ??= setTimeout(() => this.#closeIdle(), this.#parts.limits.idleMs).unref()
    } else connection.close()
    this.#free()
  }

  /** There is room for one more: whoever waits gets a new connection. */
  #free() {
    this.#taken--
    if (this.#isClosed && this.#taken === 0) this.#emptied()
    const next = this.#idle.length > 0 ? undefined : this.#nextWaiting()
    if (next) this.#open().then(next.resolve, next.reject)
  }

  #nextWaiting(): Waiting | undefined {
    const next = this.#waiting.shift()
    if (next) clearTimeout(next.timer)
    return next
  }

  #giveUp(waiting: Waiting) {
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
    waiting.reject(new DatabaseBusy(`No connection to the database was free for ${this.#parts.limits.poolMs} ms`))
  }

  #closeIdle() {
    this.#sweep = null
    const { idleMs } = this.#parts.limits
    // The longest unused are in front.
    const firstKept = this.#idle.findIndex((connection) => connection.isUsable && connection.idleMs < idleMs)
    for (const connection of this.#idle.splice(0, firstKept < 0 ? this.#idle.length : firstKept)) connection.close()
    if (this.#idle.length > 0) this.#sweep = setTimeout(() => this.#closeIdle(), idleMs / 2).unref()
  }
}

const closed = () => new DatabaseAway('The database is closed')
