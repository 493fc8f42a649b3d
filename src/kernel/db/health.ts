import { DatabaseAway, unwritableOf } from '../../platform/database-errors.ts'
import { BACKEND, type Connector, destroy, leave } from './connector.ts'
import type { Limits } from './limits.ts'

/** `working` at a statement, `resting` (or gone), or nobody knows because the database is `away`. */
export type BackendState = 'working' | 'resting' | 'away'

export interface HealthLog {
  info(message: string): void
  warn(message: string): void
}

/** `read_only`: a standby, or a server that was switched over. `disk_full`: PostgreSQL has no room for more. */
export type WriteState = 'ok' | 'read_only' | 'disk_full'

const ASK_AGAIN_MS = 500

const LOOK = `
  select ${BACKEND} as backend, state = 'active' as "isWorking", ${BACKEND} = any($1) and pg_terminate_backend(pid) as ended
  from pg_stat_activity where datname = current_database() and usename = current_user`

/**
 * Knows whether the database is there. All connections of a process tell it when they get no answer; it asks on a connection of
 * its own, once for all who wonder, and while the database is away twice a second until it is back. The log gets one line when it
 * goes and one when it is back.
 */
export class DatabaseHealth {
  readonly #connector: Connector
  readonly #limits: Limits
  readonly #log: HealthLog | null
  /** Backends whose client has given up: they may hold locks, or be about to do what nobody waits for any more. */
  readonly #abandoned = new Set<string>()
  #asking: Promise<ReadonlyMap<string, boolean> | null> | null = null
  #away: { since: number; reason: string } | null = null
  #writeState: WriteState = 'ok'
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(connector: Connector, limits: Limits, log: HealthLog | null) {
    this.#connector = connector
    this.#limits = limits
    this.#log = log
  }

  get isAway(): boolean {
    return this.#away !== null
  }

  /** What the last write that says something about it has met. The heartbeat is one in each second. */
  get writeState(): WriteState {
    return this.#writeState
  }

  /** A statement failed. */
  noteUnwritable(error: unknown) {
    const state = unwritableOf(error)
    if (state === null || state === this.#writeState) return
    this.#writeState = state
    this.#log?.warn(
      state === 'read_only'
        ? 'database: read-only; nothing is accepted or sent until it is writable'
        : 'database: disk full; nothing is accepted or sent until there is space',
    )
  }

  /** Something was written that shows that this is over. */
  noteWritable(from: Exclude<WriteState, 'ok'>) {
    if (this.#writeState !== from) return
    this.#writeState = 'ok'
    this.#log?.info('database: writable again')
  }

  requirePresent() {
    if (this.#away) throw new DatabaseAway(`Database unavailable: ${this.#away.reason}`)
  }

  /** There is no connection to be had, for this reason. */
  noteAway(error: unknown) {
    if (this.#away || this.#isClosed) return
    const reason = error instanceof Error ? error.message : String(error)
    this.noteUnwritable(error)
    this.#away = { since: performance.now(), reason }
    this.#log?.warn(`database: unavailable, requests are answered with 503 until it is back: ${reason}`)
    this.#askSoon()
  }

  /** What the process of PostgreSQL that serves this connection does at the moment. */
  async askAbout(backend: string): Promise<BackendState> {
    const working = await this.#ask()
    if (working === null) return 'away'
    return working.get(backend) ? 'working' : 'resting'
  }

  /** As soon as the database listens. */
  endBackend(backend: string) {
    if (this.#isClosed) return
    this.#abandoned.add(backend)
    this.#askSoon()
  }

  close() {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  #askSoon() {
    if (this.#isClosed) return
    this.#timer ??= setTimeout(async () => {
      this.#timer = null
      await this.#ask()
      if (this.#away || this.#abandoned.size > 0) this.#askSoon()
    }, ASK_AGAIN_MS).unref()
  }

  /** Which backends there are, and whether they work. Null: no answer. */
  #ask() {
    this.#asking ??= this.#look().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #look(): Promise<ReadonlyMap<string, boolean> | null> {
    const unwanted = [...this.#abandoned]
    const { probeMs } = this.#limits
    try {
      const { client } = await this.#connector.connect({ connectMs: probeMs })
      const silence = setTimeout(() => destroy(client), probeMs)
      try {
        const { rows } = await client.query<{ backend: string; isWorking: boolean }>(LOOK, [unwanted])
        for (const backend of unwanted) this.#abandoned.delete(backend)
        this.#noteBack()
        return new Map(rows.map(({ backend, isWorking }) => [backend, isWorking]))
      } finally {
        clearTimeout(silence)
        void leave(client)
      }
    } catch (error) {
      this.noteAway(error)
      return null
    }
  }

  #noteBack() {
    if (!this.#away || this.#isClosed) return
    const seconds = Math.round((performance.now() - this.#away.since) / 1_000)
    this.#away = null
    this.#log?.info(`database: available again after ${seconds} s`)
  }
}
