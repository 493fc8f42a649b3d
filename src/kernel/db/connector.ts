import pg from 'pg'
import { DatabaseAway, DatabaseSilent, isLost, READ_ONLY, unwritableOf } from '../../platform/database-errors.ts'
import { type ServerAttributes, type Servers, serversOf } from '../../platform/settings/database-servers.ts'
import { ConnectionSlots } from './connection-slots.ts'
import { LIMITS, type Limits, MARGIN_MS } from './limits.ts'
import { RowBytes } from './row-bytes.ts'

/** A session that is ready. */
export interface Backend {
  readonly client: pg.Client
  /** Where rows are read as bytes. */
  readonly rows: RowBytes
  /** The process that serves it, in a way that no other one ever has: numbers of processes come again. */
  readonly backend: string
  readonly history: History | null
}

export interface BackendOptions {
  readonly isPipelined?: boolean
  readonly connectMs?: number
  /** How `pg_stat_activity` calls it. */
  readonly name?: string
  /** PostgreSQL's settings for this session. Set by a statement, because poolers refuse most of them as parameters of the start. */
  readonly settings?: Record<string, string>
}

/** How `pg_stat_activity` and we call a backend. */
export const BACKEND = `pid || ' ' || extract(epoch from backend_start)`

/** So PostgreSQL notices within half a minute that we are gone without a word, and drops our locks; by itself it takes two hours. */
const KEEPALIVE = { tcp_keepalives_idle: '15', tcp_keepalives_interval: '5', tcp_keepalives_count: '3' }
/** A statement works on one core. PostgreSQL would give a large one two more, and one team's question about a year would have all of a small machine. */
const ONE_CORE = { max_parallel_workers_per_gather: '0' }
/**
 * Each statement is written for an index. PostgreSQL takes a queue that was empty when it was vacuumed, or a period that has just begun, for empty, plans to walk along
 * it, and keeps that plan until statistics say otherwise: with 2,000 rows a fan-out took five times as long. Compiling takes longer than our statements do, and before version
 * 18 what a walk costs now would bring it about.
 */
const BY_INDEX = { enable_seqscan: 'off', jit: 'off' }
/** In which times are written, as the driver reads them and as our answers have them; a role or a database may have another one. */
const DATE_STYLE = { DateStyle: 'ISO' }

const SET_UP = `
  select ${BACKEND} as backend, pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly",
    (select count(set_config(key, value, false)) from jsonb_each_text($1::jsonb))
  from pg_stat_get_activity(pg_backend_pid())`

/** Rises with each promotion: of two servers that take themselves for the primary the one with the later timeline is it. */
interface History {
  /** All copies of a cluster have it. */
  readonly system: string
  readonly timeline: number
}

/** The name of the file that is written to begins with the timeline. The control file learns of a promotion only with its first checkpoint. */
const HISTORY = `
  select system_identifier::text as system, ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int as timeline
  from pg_control_system()`

/** No such function, not supported, or not for us. */
const UNTOLD = /^(42883|0A000|42501)$/

interface SetUp {
  readonly backend: string
  readonly isStandby: boolean
  readonly isReadOnly: boolean
}

/** Makes connections: goes through the hosts until one is right, with a time limit for each. */
export class Connector {
  readonly #servers: Servers
  readonly #connectMs: number
  readonly #limits: Limits
  readonly #slots: ConnectionSlots
  /** The one that was right last time. One that does not answer costs a whole time limit, and would cost it each time. */
  #first = 0
  /** The latest that was seen. */
  #history: History | null = null
  /** There are services that call themselves PostgreSQL and have no files of their own to tell of. */
  #tellsHistory: boolean
  /** Rises when the server that is in use turned out to be the wrong one: sessions from before are not to be used. */
  generation = 0
  /** When a connection was last given up: those that rest since before may have met the same fate. */
  lastLossAt = Number.NEGATIVE_INFINITY
  /** When a byte last came on any of its sessions. */
  #heardAt = Number.NEGATIVE_INFINITY

  /** `max`: of its connections at once. */
  constructor(config: pg.ClientConfig, limits: Partial<Limits>, max = Number.POSITIVE_INFINITY) {
    this.#limits = { ...LIMITS, ...limits }
    this.#slots = new ConnectionSlots(max)
    this.#servers = serversOf({
      application_name: 'postwren',
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      ...config,
    })
    this.#connectMs = this.#servers.connectMs ?? this.#limits.connectMs
    // The embedded server is the only one of its kind.
    this.#tellsHistory = config.connectionString !== undefined
  }

  /** Where it connects to, for people. */
  get address(): string {
    return this.#servers.hosts.map((host) => nameOf(new pg.Client(host))).join(', ')
  }

  /** How many there are. */
  get hosts(): number {
    return this.#servers.hosts.length
  }

  /** The one that is in use takes connections and does not answer: others are asked first. */
  lookElsewhere() {
    this.#heardAt = Number.NEGATIVE_INFINITY
    this.#first = (this.#first + 1) % this.#servers.hosts.length
  }

  /** Whether the server talks on connections that are there. Then it is not away, however long a new one takes. */
  get isHeard(): boolean {
    return performance.now() - this.#heardAt < this.#limits.probeAfterMs
  }

  /** Whether another server has been promoted since, so that this session leads to a former primary. */
  isFormer({ history }: Backend): boolean {
    return isBefore(history, this.#history)
  }

  async connect(options: BackendOptions = {}): Promise<Backend> {
    const release = await this.#slots.take(options.connectMs ?? this.#connectMs)
    try {
      const session = await this.#connectToAny(options)
      session.client.once('end', release)
      return session
    } catch (error) {
      release()
      throw error
    }
  }

  async #connectToAny(options: BackendOptions): Promise<Backend> {
    const { hosts } = this.#servers
    const failures: unknown[] = []
    let standby: number | null = null
    for (let tried = 0; tried < hosts.length; tried++) {
      const index = (this.#first + tried) % hosts.length
      try {
        const session = await this.#connectTo(hosts[index]!, { ...options, isInUse: tried === 0 })
        this.#first = index
        return session
      } catch (error) {
        failures.push(error)
        // The standby that answers is the next primary, and is asked first from here on: one that is silent costs a whole time limit.
        if (unwritableOf(error) === 'read_only') standby = index
      }
    }
    this.#first = standby ?? this.#first
    throw new DatabaseAway([...new Set(failures.map(messageOf))].join('; '), { cause: failures[0] })
  }

  async #connectTo(host: pg.ClientConfig, options: BackendOptions & { isInUse: boolean }): Promise<Backend> {
    const { isPipelined = false, name, settings, isInUse } = options
    // What the URL says is said of each of several hosts, whoever asks.
    const connectMs = Math.min(
      options.connectMs ?? this.#connectMs,
      this.#servers.connectMs ?? Number.POSITIVE_INFINITY,
    )
    const client = new pg.Client({
      ...host,
      ...(name && { application_name: name }),
      ...(isPipelined && { pipeline: true }),
    })
    const rowBytes = RowBytes.of(client.connection)
    // Without a listener a connection that the server closes is an uncaught exception. The statement in flight rejects anyway.
    client.on('error', () => {})
    const { crowdedMs, probeAfterMs } = this.#limits
    let silence: NodeJS.Timeout
    const waitFor = (milliseconds: number, before = 0) => {
      const waitedMs = before + milliseconds
      silence = setTimeout(() => {
        if (isInUse && this.isHeard && waitedMs < crowdedMs) return waitFor(probeAfterMs, waitedMs)
        destroy(client, new DatabaseSilent(`no answer from ${nameOf(client)} within ${waitedMs / 1_000} s`))
      }, milliseconds)
    }
    waitFor(connectMs)
    try {
      await client.connect()
      const { rows } = await client.query<SetUp>(SET_UP, [
        JSON.stringify({ ...KEEPALIVE, ...ONE_CORE, ...BY_INDEX, ...DATE_STYLE, ...settings }),
      ])
      const { backend, isStandby, isReadOnly } = rows[0]!
      if (!isRight(this.#servers.wanted, { isStandby, isReadOnly }))
        throw new DatabaseAway(`${nameOf(client)} cannot be written to`, {
          cause: Object.assign(new Error('read-only'), { code: READ_ONLY }),
        })
      const history = isStandby ? null : await this.#historyOf(client)
      if (isBefore(history, this.#history))
        throw new DatabaseAway(`${nameOf(client)} is a former primary: another server was promoted`)
      this.#history = history ?? this.#history
      client.connection.stream.on('data', () => {
        this.#heardAt = performance.now()
      })
      return { client, rows: rowBytes, backend, history }
    } catch (error) {
      destroy(client)
      throw error
    } finally {
      clearTimeout(silence!)
    }
  }

  async #historyOf(client: pg.Client): Promise<History | null> {
    if (!this.#tellsHistory) return null
    try {
      return (await client.query<History>(HISTORY)).rows[0]!
    } catch (error) {
      if (isLost(error) || !(error instanceof pg.DatabaseError)) throw error
      if (UNTOLD.test(error.code ?? '')) this.#tellsHistory = false
      return null
    }
  }
}

const isBefore = (one: History | null, other: History | null) =>
  one !== null && other !== null && one.system === other.system && one.timeline < other.timeline

/** At once, without a goodbye: on a silent connection that would wait for its answer. Everything in flight rejects. */
export function destroy(client: pg.Client, error?: Error) {
  client.connection.stream.destroy(error)
}

/** With a goodbye. Resolves when the other side has closed too, or has not done so in time. */
export async function leave(client: pg.Client, withinMs = MARGIN_MS) {
  const cut = setTimeout(() => destroy(client), withinMs).unref()
  await client.end().catch(() => {})
  clearTimeout(cut)
}

function isRight(wanted: ServerAttributes, { isStandby, isReadOnly }: Omit<SetUp, 'backend'>): boolean {
  if (wanted === 'primary') return !isStandby
  return wanted === 'any' || !isReadOnly
}

const nameOf = ({ host, port }: pg.Client) => (host.startsWith('/') ? host : `${host}:${port}`)

/** A name with several addresses fails with an error for each of them, and no words of its own. */
function messageOf(error: unknown): string {
  const { message, errors, code } = error as { message: string; errors?: Error[]; code?: string }
  return message || errors?.[0]?.message || String(code)
}
