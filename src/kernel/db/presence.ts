import { randomInt } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type pg from 'pg'
import packageJson from '../../../package.json' with { type: 'json' }
import { DatabaseAway, unwritableOf } from '../../platform/database-errors.ts'
import { ClaimShare } from './claim-share.ts'
import { CompactStorage } from './compact-storage.ts'
import { type Connector, destroy, leave } from './connector.ts'
import { processState, thisMachine } from './machine.ts'
import { type Advertised, expireNode, insertNode, type Node, PRESENCE_NAME, raiseHeartbeat } from './nodes.ts'
import { raw, type Sql, sql } from './sql.ts'

export interface PresenceTimes {
  /** Between two heartbeats. */
  readonly heartbeatMs: number
  /** A heartbeat whose answer comes so long after the one before it is late, and the node claims less. */
  readonly lateMs: number
  /**
   * An answer that takes longer does not come any more: the connection is given up for a new one. Each time in a row that this
   * happens the next answer may take twice as long, up to `goneMs`: a machine that is starved answers late, and connecting costs most.
   */
  readonly answerMs: number
  /** How long a heartbeat that was answered renews the lease, counted from when it was sent. */
  readonly leaseMs: number
  /** A node whose heartbeat stands still for this long is gone. Longer than a lease lasts, or it could still be sending. */
  readonly goneMs: number
  /**
   * A node whose process is seen to run on this machine: it is starved, or hangs. It has its rows for so long; the lease that lets it
   * send is as short as always.
   */
  readonly stalledMs: number
  /** How far the clock of this machine may be from the database's. */
  readonly clockMs: number
}

export interface PresenceOptions extends Partial<PresenceTimes> {
  /** What this machine takes for the time, which is compared with what the database does. */
  readonly now?: () => number
}

const TIMES: PresenceTimes = {
  heartbeatMs: 1_000,
  lateMs: 2_000,
  answerMs: 1_500,
  leaseMs: 4_000,
  goneMs: 6_000,
  stalledMs: 60_000,
  clockMs: 1_000,
}

/** So often a node tries to be seen for the first time, with more patience each time: some 20 s in all. */
const MAX_FIRST_HEARTBEATS = 5

interface PresenceEvents {
  /** These nodes are not there any more: what they held is nobody's. */
  gone: [nodes: number[]]
  /** This node has renewed its lease. */
  renewed: []
  /** A heartbeat could not be written. */
  failed: [error: unknown]
  /** The clock of this machine went astray, or is right again. */
  clock: []
  /** A word from another node, to the channel of this one. */
  notification: [payload: string]
}

/** The numbers of the nodes that are alive. */
export const LIVING_NODES = sql`select id from nodes`

/** A number that grows as long as the node lives; null: there is no such node. */
export const heartbeatOf = (node: Sql): Sql => sql`(select beat from nodes where id = ${node})`

/** What the living nodes work at; null: the database has no tables yet. */
export async function findWorks(client: pg.ClientBase): Promise<string[][] | null> {
  const { rows } = await client.query<{ isThere: boolean }>(`select to_regclass('nodes') is not null as "isThere"`)
  if (!rows[0]!.isThere) return null
  const nodes = await client.query<{ works: string[] }>('select works from nodes')
  return nodes.rows.map(({ works }) => works)
}

/** What the living nodes watch; null: the database has no tables yet. */
export async function findWatches(client: pg.ClientBase): Promise<string[][] | null> {
  const { rows } = await client.query<{ isThere: boolean }>(`select to_regclass('nodes') is not null as "isThere"`)
  if (!rows[0]!.isThere) return null
  const nodes = await client.query<{ watches: string[] }>('select watches from nodes')
  return nodes.rows.map(({ watches }) => watches)
}

/** How many nodes run each version, by their connections; null: one from before they told it. */
export async function findRunningVersions(client: pg.ClientBase) {
  const { rows } = await client.query<{ version: string | null; count: number }>(
    `select nullif(trim(substr(application_name, $1::int)), '') as version, count(*)::int as count
    from pg_stat_activity where datname = current_database() and starts_with(application_name, $2)
    group by 1 order by 1`,
    [PRESENCE_NAME.length + 1, PRESENCE_NAME],
  )
  return rows
}

/**
 * That this process lives, as the others see it. Its row in `nodes` is the lease of everything that it holds: jobs, mail, events.
 *
 * Every second it raises its heartbeat (`beat`), and sees the others' in the same statement. A heartbeat that was answered renews the lease
 * for four seconds, by this process's own steady clock; without the lease it neither claims nor sends. Whoever sees a heartbeat
 * stand still for six seconds, by its own steady clock and without having been blind in between, deletes that row. So nobody's
 * work is taken over while they can still be sending, and no two clocks are ever compared. On the same machine a process that is gone
 * is seen to be gone, and nobody waits; one that is seen to run is starved and not dead, and has a minute. The lease is shorter than
 * any of these, so a node never sends what somebody may have taken over, however long it is spared. One that a signal has stopped is
 * not starved, and has its six seconds.
 *
 * No connection stands for the process: one that dies without a word is replaced by another before anybody minds. The one of the
 * moment also listens for wake-ups, since it is the one that is known to work. A node that was called dead in error comes back
 * under a new number, and what it held under the old one is not its own any more.
 */
export class Presence extends EventEmitter<PresenceEvents> {
  /** Who this process is, for what it holds. Another one after it was called dead, so that it is never mistaken for its predecessor. */
  node = randomInt(1, 2 ** 31 - 1)
  readonly #connector: Connector
  readonly #times: PresenceTimes
  readonly #now: () => number
  #nodes: readonly Node[] = []
  /** By node: its heartbeat, and since when it stands still. */
  readonly #still = new Map<number, { beat: number; since: number }>()
  #advertised: Advertised = { channel: '', works: [], watches: [], secretKeys: [], connections: null }
  #hasChanged = true
  #isEntered = false
  readonly #compactStorage = new CompactStorage()
  #client: pg.Client | null = null
  readonly #claimShare: ClaimShare
  /** Beats in a row that were not answered. */
  #failures = 0
  #leasedAt = Number.NEGATIVE_INFINITY
  #seenAt = Number.NEGATIVE_INFINITY
  /** How far the database's clock is ahead of ours, in milliseconds. */
  #clockOffsetMs = 0
  #timer: NodeJS.Timeout | null = null
  #started: Promise<void> | null = null
  #heartbeatDone: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(connector: Connector, { now = Date.now, ...times }: PresenceOptions = {}) {
    super()
    this.setMaxListeners(0)
    this.#connector = connector
    this.#times = { ...TIMES, ...times }
    this.#claimShare = new ClaimShare(this.#times.lateMs)
    this.#now = now
  }

  /** Resolves when the others can see this node. */
  start(): Promise<void> {
    this.#started ??= this.#enter().then(() => this.#schedule())
    return this.#started
  }

  /** Whether this process may claim and send in the name of this number, now. */
  holdsLease(node = this.node): boolean {
    return node === this.node && performance.now() - this.#leasedAt < this.#times.leaseMs
  }

  /** Holds its lease, and has a clock that says what the database's says: a node that is ahead would do things before their time. */
  get mayWork(): boolean {
    return this.holdsLease() && this.isInStep
  }

  /** The part of its usual rows that this node should claim at the moment: less when its heartbeats are late. */
  get claimShare(): number {
    return this.#claimShare.at(performance.now())
  }

  get isInStep(): boolean {
    return Math.abs(this.#clockOffsetMs) <= this.#times.clockMs
  }

  get clockOffsetMs(): number {
    return this.#clockOffsetMs
  }

  /** Whether rows may be written as older programs could not read them: see `CompactStorage`. */
  get storesCompactly(): boolean {
    return this.#compactStorage.isOn
  }

  /** The others, as of the last heartbeat, in the order of their numbers. */
  get others(): readonly Node[] {
    return this.#nodes
  }

  /** What the others are to know of this node, with the next heartbeat. */
  advertise(advertised: Partial<Advertised>) {
    this.#advertised = { ...this.#advertised, ...advertised }
    this.#hasChanged = true
  }

  /** A statement on the connection of the heartbeats. Null: there is none at the moment. */
  async query(statement: Sql): Promise<unknown> {
    const client = this.#client
    return client && this.#withinTime(client, client.query(statement.toQuery()))
  }

  /** Says goodbye, so that nobody waits for the next heartbeat. What this node holds must have been released before. */
  async close() {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.#heartbeatDone
    const client = this.#client
    this.#client = null
    if (!client) return
    const goodbye = client.query(sql.write`delete from nodes where id = ${this.node}`.toQuery())
    await this.#withinTime(client, goodbye).catch(() => {})
    await leave(client)
  }

  #schedule() {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#heartbeatDone = this.#heartbeat()
        .catch((error) => this.#noteFailed(error))
        .then(() => this.#schedule())
    }, this.#times.heartbeatMs).unref()
  }

  async #enter() {
    for (let left = MAX_FIRST_HEARTBEATS - 1; ; left--) {
      try {
        return await this.#heartbeat()
      } catch (error) {
        if (left === 0 || this.#isClosed || !(error instanceof DatabaseAway)) throw error
      }
    }
  }

  async #heartbeat() {
    const sentOn = this.#now()
    const sentAt = performance.now()
    const rows = await this.#raiseConnected()
    const own = rows.find(({ id }) => id === this.node)
    if (own) this.#renewLease(sentAt, { databaseMs: own.clock, sentOn })
    else this.#rejoin()
    await this.#look(rows.filter((row) => row !== own))
    const client = this.#client
    if (client)
      await this.#compactStorage.look(this.#now(), (asked) => this.#withinTime(client, client.query(asked.toQuery())))
  }

  async #raiseConnected() {
    try {
      this.#client ??= await this.#connect()
      const rows = await this.#raise(this.#client)
      this.#failures = 0
      return rows
    } catch (error) {
      this.#failures++
      this.#connector.lookElsewhere()
      throw error
    }
  }

  /** How long an answer may take. */
  get #answerMs(): number {
    const { answerMs, goneMs } = this.#times
    // Of several hosts another one is asked each time: none of them has been slow twice yet.
    const inARow = Math.floor(this.#failures / this.#connector.hosts)
    return Math.max(answerMs, Math.min(answerMs * 2 ** inARow, goneMs))
  }

  /** A server that does not take writes any more is left: with several hosts another one can be written to. */
  #noteFailed(error: unknown) {
    if (unwritableOf(error) === 'read_only') {
      if (this.#client) void leave(this.#client)
      this.#client = null
    }
    this.emit('failed', error)
  }

  #renewLease(sentAt: number, { databaseMs, sentOn }: { databaseMs: number; sentOn: number }) {
    const wasInStep = this.isInStep
    this.#leasedAt = sentAt
    this.#claimShare.answered(performance.now())
    // Between sending and hearing lies the moment at which the database has looked at its clock.
    const [least, most] = [databaseMs - this.#now(), databaseMs - sentOn]
    this.#clockOffsetMs = least > 0 ? least : Math.min(most, 0)
    this.emit('renewed')
    if (wasInStep !== this.isInStep) this.emit('clock')
  }

  /** One statement: whoever can see that others stand still can also move itself, so a database that takes no writes kills nobody. */
  async #raise(client: pg.Client) {
    const { channel, works, watches, secretKeys, connections } = this.#advertised
    const isNew = this.#hasChanged
    this.#hasChanged = false
    const changes = isNew
      ? sql`, channel = ${channel}, works = ${works}, watches = ${watches}, secret_keys = ${secretKeys},
          connections = ${connections}`
      : sql``
    const result = client.query<Node & { clock: number }>(raiseHeartbeat(this.node, changes).toQuery())
    try {
      return (await this.#withinTime(client, result)).rows
    } catch (error) {
      this.#hasChanged ||= isNew
      throw error
    }
  }

  async #connect(): Promise<pg.Client> {
    const { client } = await this.#connector.connect({
      name: `${PRESENCE_NAME} ${packageJson.version}`,
      connectMs: this.#answerMs,
      // One that was given up stands in line behind itself where a commit waits for a standby.
      settings: { statement_timeout: String(this.#times.goneMs) },
    })
    client.once('end', () => {
      if (this.#client === client) this.#client = null
    })
    client.on('notification', ({ payload = '' }) => this.emit('notification', payload))
    try {
      await this.#enterOn(client)
      return client
    } catch (error) {
      void leave(client)
      throw error
    }
  }

  async #enterOn(client: pg.Client) {
    const ask = (statement: Sql) => this.#withinTime(client, client.query(statement.toQuery()))
    const { channel } = this.#advertised
    this.#compactStorage.beginAnew()
    // Once for each number: a row that is missing later was deleted by somebody who has given away what this node held.
    if (!this.#isEntered) await ask(insertNode(this.node, this.#advertised, new Date(this.#now())))
    this.#isEntered = true
    if (channel) await ask(raw(`listen "${channel}"`))
    // A heartbeat that a crash of the database forgets is followed by another: it is not worth waiting for the disk. Where there is a
    // synchronous standby it waits for that one (`raiseHeartbeat`).
    await ask(sql`set synchronous_commit = off`)
  }

  /** Somebody has called us dead. The connection goes too: the next heartbeat makes another, and the row for the new number with it. */
  #rejoin() {
    this.#leasedAt = Number.NEGATIVE_INFINITY
    this.node = randomInt(1, 2 ** 31 - 1)
    this.#isEntered = false
    this.#client?.end().catch(() => {})
    this.#client = null
  }

  async #look(others: readonly Node[]) {
    const now = performance.now()
    // Whoever was blind for a while does not know whether somebody stood still in the meantime.
    const wasBlind = now - this.#seenAt > this.#times.goneMs / 2
    this.#seenAt = now
    const seen = new Map(others.map(({ id, beat }) => [id, beat]))
    for (const [id, { beat }] of this.#still) if (wasBlind || seen.get(id) !== beat) this.#still.delete(id)
    for (const [id, beat] of seen) if (!this.#still.has(id)) this.#still.set(id, { beat, since: now })
    const dead: Node[] = []
    for (const other of others) if (this.#isGone(other, now) && (await this.#expire(other))) dead.push(other)
    const left = others.filter((other) => !dead.includes(other))
    const isLeft = new Set(left.map(({ id }) => id))
    // Also those that another node has expired, and those that said goodbye.
    const gone = [...new Set([...this.#nodes, ...dead].map(({ id }) => id))].filter((id) => !isLeft.has(id))
    this.#nodes = left
    if (gone.length > 0) this.emit('gone', gone)
  }

  #isGone({ id, machine, pid, processStart }: Node, now: number): boolean {
    const { goneMs, stalledMs } = this.#times
    const state = machine !== null && machine === thisMachine ? processState(pid, processStart) : 'unknown'
    const stillMs = now - this.#still.get(id)!.since
    return state === 'gone' || stillMs >= (state === 'running' ? stalledMs : goneMs)
  }

  /** Not if it has moved in the last moment. */
  async #expire({ id, beat }: Node): Promise<boolean> {
    const expired = await this.query(expireNode(id, beat))
    return (expired as pg.QueryResult | null)?.rowCount === 1
  }

  /** A client that does not answer in time is not asked again. */
  async #withinTime<Value>(client: pg.Client, answer: Promise<Value>): Promise<Value> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new DatabaseAway('The database does not answer'))
        if (this.#client === client) this.#client = null
        destroy(client)
      }, this.#answerMs)
    })
    answer.catch(() => {})
    try {
      return await Promise.race([answer, late])
    } finally {
      clearTimeout(timer)
    }
  }
}
