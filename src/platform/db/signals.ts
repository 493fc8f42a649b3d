import { randomInt } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type pg from 'pg'
import type { Connector } from './connector.ts'
import { raw, sql } from './sql.ts'

const CHANNEL = 'postwren'
const RECONNECT_MS = 50
const DEBOUNCE_MS = 5

/** The first key of our advisory locks that say "this node is alive"; the second key is the node's number. */
const PRESENCE_LOCK = 0x70777265

/** The numbers of the nodes that are alive. */
export const LIVING_NODES = sql`
  select objid::bigint from pg_locks
  where locktype = 'advisory' and classid = ${raw(String(PRESENCE_LOCK))} and granted
    and database = (select oid from pg_database where datname = current_database())`

/**
 * The one connection of a process that listens. It does two things that belong to a session and not to a statement:
 *
 * - it carries wake-ups between processes. They are hints: who waits for one also looks by itself now and then. The NOTIFY is
 *   sent outside the transactions and at most once in 5 ms, because inside it serialises commits (57 % fewer at 16 clients).
 * - it holds an advisory lock with this node's number. PostgreSQL drops it the moment the process is gone, which is how the
 *   others notice a `kill -9` within a second instead of waiting for a lease to end.
 */
export class Signals {
  /** Who this process is, for leases. New in each process, so that a restart is never mistaken for its predecessor. */
  readonly node = randomInt(1, 2 ** 31 - 1)
  readonly #connector: Connector
  readonly #emitter = new EventEmitter()
  readonly #pending = new Set<string>()
  #client: pg.Client | null = null
  #isClosed = false
  #isStarted = false
  #retry: NodeJS.Timeout | null = null
  /** One after the other: the connection takes a statement at a time. */
  #notified: Promise<void> = Promise.resolve()

  constructor(connector: Connector) {
    this.#connector = connector
    this.#emitter.setMaxListeners(0)
  }

  /** Resolves once the lock is held and the channel is listened to. Reconnects by itself from then on. */
  async start() {
    if (this.#isStarted) return
    this.#isStarted = true
    await this.#connect()
  }

  on(channel: string, listener: () => void): () => void {
    this.#emitter.on(channel, listener)
    return () => this.#emitter.off(channel, listener)
  }

  announce(channel: string) {
    this.#emitter.emit(channel)
    if (!this.#isStarted) return
    if (this.#pending.size === 0) setTimeout(() => this.#notify(), DEBOUNCE_MS).unref()
    this.#pending.add(channel)
  }

  async close() {
    this.#isClosed = true
    await this.#client?.end().catch(() => {})
  }

  #notify() {
    const payloads = [...this.#pending].map((channel) => `${this.node}:${channel}`)
    this.#pending.clear()
    this.#notified = this.#notified.then(async () => {
      await this.#client
        ?.query(sql`select pg_notify(${CHANNEL}, hint) from unnest(${payloads}::text[]) hint`.toQuery())
        .catch(() => {})
    })
  }

  async #connect() {
    const { client } = await this.#connector.connect()
    client.on('notification', ({ payload = '' }) => {
      const [sender, channel = ''] = payload.split(':')
      if (sender !== String(this.node)) this.#emitter.emit(channel)
    })
    client.once('end', () => this.#reconnect())
    await client.query(sql`select pg_advisory_lock(${PRESENCE_LOCK}::int, ${this.node}::int)`.toQuery())
    await client.query(`listen ${CHANNEL}`)
    this.#client = client
    if (this.#isClosed) await client.end()
  }

  #reconnect() {
    this.#client = null
    if (this.#isClosed || this.#retry) return
    this.#retry = setTimeout(() => {
      this.#retry = null
      this.#connect().catch(() => this.#reconnect())
    }, RECONNECT_MS).unref()
  }
}
