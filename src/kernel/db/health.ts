import { DatabaseAway, DatabaseSilent, isSilence, unwritableOf } from '../../platform/database-errors.ts'
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

/**
 * A backend that has committed and waits for its synchronous standby is not ended: its transaction would be there for everybody although the
 * standby does not have it. Somebody who finds it settled, or an answer under an idempotency key, would rely on what a failover takes back.
 */
const LOOK = `
  select ${BACKEND} as backend, state = 'active' as "isWorking", wait_event is not distinct from 'SyncRep' as "isReplicating",
    case when ${BACKEND} = any($1) and wait_event is distinct from 'SyncRep' then pg_terminate_backend(pid) end as ended
  from pg_stat_activity where datname = current_database() and usename = current_user`

interface LookedAt {
  readonly backend: string
  readonly isWorking: boolean
  readonly isReplicating: boolean
}

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
  #asking: Promise<ReadonlyMap<string, boolean> | 'away' | 'crowded'> | null = null
  #away: { since: number; reason: string; isSilence: boolean } | null = null
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
    this.#noteHeard()
    if (this.#away) throw new DatabaseAway(`Database unavailable: ${this.#away.reason}`)
  }

  /** There is no connection to be had, for this reason. */
  noteAway(error: unknown) {
    if (this.#away || this.#isClosed || this.#isCrowded(error)) return
    const reason = error instanceof Error ? error.message : String(error)
    this.noteUnwritable(error)
    this.#away = { since: performance.now(), reason, isSilence: isSilence(error) }
    this.#log?.warn(`database: unavailable, requests are answered with 503 until it is back: ${reason}`)
    this.#askSoon()
  }

  /** What the process of PostgreSQL that serves this connection does at the moment. */
  async askAbout(backend: string): Promise<BackendState> {
    const working = await this.#ask()
    if (working === 'away') return 'away'
    // It talks to others. What becomes of this backend is asked again.
    if (working === 'crowded') return 'working'
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

  /** Which backends there are, and whether they work; or that there was no answer, here or anywhere. */
  #ask() {
    this.#asking ??= this.#look().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #look(): Promise<ReadonlyMap<string, boolean> | 'away' | 'crowded'> {
    const unwanted = [...this.#abandoned]
    const { probeMs } = this.#limits
    try {
      const { client } = await this.#connector.connect({ connectMs: probeMs })
      const silence = setTimeout(() => destroy(client, new DatabaseSilent('no answer to a probe')), probeMs)
      try {
        const { rows } = await client.query<LookedAt>(LOOK, [unwanted])
        const replicating = new Set(rows.filter(({ isReplicating }) => isReplicating).map(({ backend }) => backend))
        const left = unwanted.filter((backend) => replicating.has(backend))
        for (const backend of unwanted) if (!replicating.has(backend)) this.#abandoned.delete(backend)
        // Whatever was written next would wait as long, and each one that is given up leaves a backend behind.
        if (left.length > 0) this.noteAway(new DatabaseAway('commits wait for a synchronous standby'))
        else this.#noteBack()
        return new Map(rows.map(({ backend, isWorking }) => [backend, isWorking]))
      } finally {
        clearTimeout(silence)
        void leave(client)
      }
    } catch (error) {
      this.#noteHeard()
      if (this.#isCrowded(error)) return 'crowded'
      this.noteAway(error)
      return 'away'
    }
  }

  /**
   * A machine with more to do than it can takes seconds to begin a session, and works at those that it has. Who is told that the database is away
   * then is told so for nothing, and all of them at once.
   */
  #isCrowded(error: unknown): boolean {
    return isSilence(error) && this.#connector.isHeard
  }

  /** A server that was only silent answers again, on an open connection. */
  #noteHeard() {
    if (this.#away?.isSilence && this.#connector.isHeard) this.#noteBack()
  }

  #noteBack() {
    if (!this.#away || this.#isClosed) return
    const seconds = Math.round((performance.now() - this.#away.since) / 1_000)
    this.#away = null
    this.#log?.info(`database: available again after ${seconds} s`)
  }
}
