import pg from 'pg'
import { DatabaseAway, READ_ONLY } from '../../platform/database-errors.ts'
import { type ServerAttributes, type Servers, serversOf } from '../../platform/settings/database-servers.ts'
import { ConnectionSlots } from './connection-slots.ts'
import { type Limits, MARGIN_MS } from './limits.ts'
import { RowBytes } from './row-bytes.ts'

/** A session that is ready. */
export interface Backend {
  readonly client: pg.Client
  /** Where rows are read as bytes. */
  readonly rows: RowBytes
  /** The process that serves it, in a way that no other one ever has: numbers of processes come again. */
  readonly backend: string
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
/** In which times are written, as the driver reads them and as our answers have them; a role or a database may have another one. */
const DATE_STYLE = { DateStyle: 'ISO' }

const SET_UP = `
  select ${BACKEND} as backend, pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly",
    (select count(set_config(key, value, false)) from jsonb_each_text($1::jsonb))
  from pg_stat_get_activity(pg_backend_pid())`

interface SetUp {
  readonly backend: string
  readonly isStandby: boolean
  readonly isReadOnly: boolean
}

/** Makes connections: goes through the hosts until one is right, with a time limit for each. */
export class Connector {
  readonly #servers: Servers
  readonly #connectMs: number
  readonly #slots: ConnectionSlots
  /** The one that was right last time. One that does not answer costs a whole time limit, and would cost it each time. */
  #first = 0
  /** Rises when the server that is in use turned out to be the wrong one: sessions from before are not to be used. */
  generation = 0
  /** When a connection was last given up: those that rest since before may have met the same fate. */
  lastLossAt = Number.NEGATIVE_INFINITY

  /** `max`: of its connections at once. */
  constructor(config: pg.ClientConfig, { connectMs }: Pick<Limits, 'connectMs'>, max = Number.POSITIVE_INFINITY) {
    this.#slots = new ConnectionSlots(max)
    this.#servers = serversOf({
      application_name: 'postwren',
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      ...config,
    })
    this.#connectMs = this.#servers.connectMs ?? connectMs
  }

  /** Where it connects to, for people. */
  get address(): string {
    return this.#servers.hosts.map((host) => nameOf(new pg.Client(host))).join(', ')
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
    for (let tried = 0; tried < hosts.length; tried++) {
      const index = (this.#first + tried) % hosts.length
      try {
        const session = await this.#connectTo(hosts[index]!, options)
        this.#first = index
        return session
      } catch (error) {
        failures.push(error)
      }
    }
    throw new DatabaseAway([...new Set(failures.map(messageOf))].join('; '), { cause: failures[0] })
  }

  async #connectTo(host: pg.ClientConfig, options: BackendOptions): Promise<Backend> {
    const { isPipelined = false, connectMs = this.#connectMs, name, settings } = options
    const client = new pg.Client({
      ...host,
      ...(name && { application_name: name }),
      ...(isPipelined && { pipeline: true }),
    })
    const rowBytes = RowBytes.of(client.connection)
    // Without a listener a connection that the server closes is an uncaught exception. The statement in flight rejects anyway.
    client.on('error', () => {})
    const silence = setTimeout(() => {
      destroy(client, new DatabaseAway(`no answer from ${nameOf(client)} within ${connectMs / 1_000} s`))
    }, connectMs)
    try {
      await client.connect()
      const { rows } = await client.query<SetUp>(SET_UP, [
        JSON.stringify({ ...KEEPALIVE, ...ONE_CORE, ...DATE_STYLE, ...settings }),
      ])
      const { backend, isStandby, isReadOnly } = rows[0]!
      if (!isRight(this.#servers.wanted, { isStandby, isReadOnly }))
        throw new DatabaseAway(`${nameOf(client)} cannot be written to`, {
          cause: Object.assign(new Error('read-only'), { code: READ_ONLY }),
        })
      return { client, rows: rowBytes, backend }
    } catch (error) {
      destroy(client)
      throw error
    } finally {
      clearTimeout(silence)
    }
  }
}

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
