import { EventEmitter } from 'node:events'
import { Acceptance } from '../../src/features/emails/delivery/acceptance/accept.ts'
import type { Transport } from '../../src/features/emails/delivery/deliver.ts'
import { DELIVERIES_CHANNEL } from '../../src/features/emails/delivery/ledger/queries.ts'
import { DestinationQueues } from '../../src/features/emails/delivery/transport/destination-queues.ts'
import { DeliveryWorker } from '../../src/features/emails/delivery/worker.ts'
import type { TeamStates } from '../../src/features/limits/team-states.ts'
import type { Database } from '../../src/kernel/db/database.ts'
import { expireNode, insertNode, type Node, raiseHeartbeat } from '../../src/kernel/db/nodes.ts'
import type { Presence } from '../../src/kernel/db/presence.ts'
import type { Signals } from '../../src/kernel/db/signals.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import type { Barriers } from './barriers.ts'
import { type GatedNode, gatedDatabase, type StatementFault } from './gated-database.ts'
import type { Sessions } from './sessions.ts'

export interface NodeParts {
  readonly real: Database
  readonly sessions: Sessions
  readonly barriers: Barriers
  readonly teamStates: TeamStates
  /** Those that somebody has called dead. */
  readonly expired: Set<number>
  /** What the outside world is to a node. */
  transportOf(node: DeliveringNode): Transport
  /** The node is called dead, and is about to lose all that it holds. */
  onExpired(node: number): Promise<void>
}

const ADVERTISED = { channel: '', works: [DELIVERIES_CHANNEL], watches: [], secretKeys: [], connections: null }
const LOG = createLog({ level: 'silent', isTerminal: false })

let lastNumber = 0

/** As `Presence` is seen by others: when the lease ends, and who is called dead, is said by the test. The seconds are those of presence.ts. */
class TestPresence extends EventEmitter {
  node = ++lastNumber
  hasLease = true
  readonly claimShare = 1
  readonly isInStep = true
  readonly others: readonly Node[] = []

  async start() {}

  holdsLease(node = this.node): boolean {
    return this.hasLease && node === this.node
  }

  get mayWork(): boolean {
    return this.holdsLease()
  }
}

/** Wakes the loops of its own process, as `Signals` does where the work is done in the same process. */
class TestSignals {
  readonly #emitter = new EventEmitter()

  work(channel: string, wake: () => void): () => void {
    this.#emitter.on(channel, wake)
    return () => void this.#emitter.off(channel, wake)
  }

  announce(channel: string) {
    this.#emitter.emit(channel)
  }

  /** There is nobody else for the commit to wake. */
  async announceWith<Result>(channels: readonly string[], send: (notified: null) => Promise<Result>): Promise<Result> {
    const result = await send(null)
    for (const channel of channels) this.announce(channel)
    return result
  }

  tellObservers() {}
  wakePeer() {}
}

/** A process that accepts and delivers. All its parts are those of the program but its lease, its wake-ups, and the mail server. */
export class DeliveringNode implements GatedNode {
  readonly name: string
  readonly db: Database
  readonly acceptance: Acceptance
  readonly worker: DeliveryWorker
  readonly #presence = new TestPresence()
  readonly presence = this.#presence as unknown as Presence
  readonly signals = new TestSignals() as unknown as Signals
  readonly #parts: NodeParts
  isDead = false
  #fault: StatementFault | null = null
  #heartbeat: Promise<void> | null = null

  private constructor(name: string, parts: NodeParts) {
    this.name = name
    this.#parts = parts
    this.db = gatedDatabase({ ...parts, node: this })
    const { teamStates } = parts
    const { clock } = this.db
    const queues = new DestinationQueues({
      memoryBytes: 1_000_000,
      connections: 5,
      room: () => Number.POSITIVE_INFINITY,
    })
    const transport = parts.transportOf(this)
    this.worker = new DeliveryWorker({ db: this.db, clock, log: LOG, transport, queues, teamStates })
    this.acceptance = new Acceptance(this.db, teamStates)
    this.acceptance.deliverThrough(this.worker.straightThrough)
  }

  /** Its number is in `nodes` before it claims anything. */
  static async start(name: string, parts: NodeParts): Promise<DeliveringNode> {
    const node = new DeliveringNode(name, parts)
    await parts.sessions.query(insertNode(node.number, ADVERTISED, parts.real.clock.now()))
    void node.worker.start()
    return node
  }

  get number(): number {
    return this.#presence.node
  }

  get hasLease(): boolean {
    return !this.isDead && this.#presence.hasLease
  }

  /** The process ends here and now. What it has sent may be executed, and nobody hears of it. */
  crash() {
    this.isDead = true
    this.#presence.hasLease = false
  }

  /** Its heartbeats are not answered for a while. */
  lapse() {
    this.#presence.hasLease = false
  }

  failNext(fault: StatementFault | null) {
    this.#fault = fault
  }

  takeFault(among: readonly StatementFault[]): StatementFault | null {
    const fault = this.#fault
    if (!fault || !among.includes(fault)) return null
    this.#fault = null
    return fault
  }

  /** One at a time, as in presence.ts. */
  heartbeat(): Promise<void> {
    this.#heartbeat ??= this.#beat()
      .catch(() => {})
      .finally(() => {
        this.#heartbeat = null
      })
    return this.#heartbeat
  }

  /** Calls another node dead, unless its heartbeat has moved in the meantime. */
  async expire(other: number) {
    const { sessions, barriers, expired, onExpired } = this.#parts
    const { rows } = await sessions.query<{ beat: number }>(
      sql`select beat::float8 as beat from nodes where id = ${other}`,
    )
    if (!rows[0]) return
    await barriers.pass(`${this.name}: expire node ${other}`)
    if (this.isDead) return
    const { rowCount } = await sessions.query(expireNode(other, rows[0].beat))
    if (rowCount === 0) return
    expired.add(other)
    await onExpired(other)
    await barriers.pass(`${this.name}: node ${other} is gone`)
    this.#presence.emit('gone', [other])
  }

  /** A lease is counted from when its heartbeat was sent: who was called dead since then does not get it. */
  async #beat() {
    const { node } = this.#presence
    const seen = await this.db.query<Node>(raiseHeartbeat(node))
    if (seen.some(({ id }) => id === node)) {
      this.#presence.hasLease = !this.#parts.expired.has(node)
      return
    }
    this.#presence.hasLease = false
    this.#presence.node = ++lastNumber
    await this.db.query(insertNode(this.#presence.node, ADVERTISED, this.db.clock.now()))
    this.#presence.hasLease = true
  }
}
