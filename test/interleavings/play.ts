import type { Scheduler } from 'fast-check'
import { vi } from 'vitest'
import { deleteEmails } from '../../src/features/emails/delivery/ledger/removal.ts'
import { cancelEmail } from '../../src/features/emails/reschedule.ts'
import type { SendingServices } from '../../src/features/emails/services.ts'
import { Holds } from '../../src/features/limits/holds.ts'
import { NO_LIMITS } from '../../src/features/limits/team-limits.ts'
import type { TeamStates } from '../../src/features/limits/team-states.ts'
import type { Database } from '../../src/kernel/db/database.ts'
import { raw, sql } from '../../src/kernel/db/sql.ts'
import type { Actor } from '../../src/kernel/http/actor.ts'
import type { FixedClock } from '../harness/clock.ts'
import { newEmail } from '../harness/new-email.ts'
import type { Action, EmailPlan } from './actions.ts'
import { NODES } from './actions.ts'
import { Barriers } from './barriers.ts'
import { DeliveringNode, type NodeParts } from './node.ts'
import { OutsideWorld, type SentEmail } from './outside-world.ts'
import { checkAtTheEnd } from './promises.ts'
import type { Sessions } from './sessions.ts'

export interface Stage {
  /** Where statements lead that nobody steers. */
  readonly real: Database
  readonly clock: FixedClock
  readonly sessions: Sessions
  readonly team: string
  readonly limitedTeam: string
}

/** More than the retry schedule asks for after the attempts of a run. */
const RETRY_SECONDS = 3_600
const SCHEDULED_SECONDS = 2
/** How often a run is given time in the end. The take-over looks once in a minute, whoever lost a claim once in two seconds. */
const LAST_SECONDS = [2, 2, 2, 60, 2, 2, 60, 2, 2, 60, 2, 2]

/** Three nodes, what happens to them, and the order in which all of their statements come. */
export class Play {
  readonly world: OutsideWorld
  readonly #stage: Stage
  readonly #barriers: Barriers
  readonly #parts: NodeParts
  /** Those that live, or died last in their slot. */
  readonly #nodes: DeliveringNode[] = []
  readonly #all: DeliveringNode[] = []

  constructor(stage: Stage, scheduler: Scheduler) {
    const { real, sessions, limitedTeam } = stage
    this.#stage = stage
    this.#barriers = new Barriers(scheduler, sessions)
    this.world = new OutsideWorld(sessions, this.#barriers)
    const teamStates: Pick<TeamStates, 'limitsOf' | 'suspensionOf' | 'holds'> = {
      limitsOf: (team) => (team === limitedTeam ? { ...NO_LIMITS, emailsPerDay: 1_000 } : NO_LIMITS),
      suspensionOf: () => null,
      holds: new Holds(),
    }
    this.#parts = {
      ...{ real, sessions, barriers: this.#barriers, teamStates: teamStates as TeamStates, expired: new Set() },
      transportOf: this.world.transportOf,
      onExpired: (node) => this.world.loseAnswersOf(node),
    }
  }

  /** Throws at the first promise that is broken. */
  async run(actions: readonly Action[]) {
    const { sessions } = this.#stage
    for (const table of ['emails', 'nodes', 'team_usage', 'suppressions', 'outbox'])
      await sessions.query(sql`delete from ${raw(table)}`)
    for (let slot = 0; slot < NODES; slot++) await this.#start(slot)
    // So that they know that nothing waits, and take emails straight through.
    await this.#drain()
    void this.#act(actions)
    await this.#drain()
    await this.#heal()
    await checkAtTheEnd(this.world, sessions)
    await this.#stop()
  }

  async #act(actions: readonly Action[]) {
    for (const action of actions) {
      await this.#barriers.pass(JSON.stringify(action))
      await this.#stage.sessions.during(async () => void (await this.#take(action)))
    }
  }

  async #take(action: Action) {
    if (action.type === 'pass') return this.#pass(action.seconds)
    const node = this.#nodes[action.node]!
    if (action.type === 'start') return node.isDead && this.#start(action.node)
    if (node.isDead) return
    switch (action.type) {
      case 'accept':
        return this.#accept(node, action.email)
      case 'cancel':
        return this.#cancel(node, [...this.world.emails.values()][action.email])
      case 'delete':
        return this.#delete(node, [...this.world.emails.values()][action.email])
      case 'crash':
        node.crash()
        return this.world.loseAnswersOf(node.number)
      case 'lapse':
        return node.lapse()
      case 'heartbeat':
        return void node.heartbeat()
      case 'expire':
        return this.#expire(node, action.other)
      case 'fail':
        return node.failNext(action.fault)
    }
  }

  #accept(node: DeliveringNode, { recipients, outcomes, isScheduled, isLimited }: EmailPlan) {
    const { clock, team, limitedTeam } = this.#stage
    const number = this.world.emails.size + 1
    const to = Array.from({ length: recipients }, (_, index) => `recipient-${number}-${index}@example.com`)
    const createdAt = clock.now()
    const scheduledAt = isScheduled ? new Date(createdAt.getTime() + SCHEDULED_SECONDS * 1_000) : null
    const owner = isLimited ? limitedTeam : team
    const email = newEmail(owner, { to, recipients: to, createdAt, scheduledAt, apiKeyId: null })
    const states = { isAcknowledged: false, isCanceled: false, mayBeCanceled: false, mayBeDeleted: false }
    const sent: SentEmail = { email, outcomes: [...outcomes], ...states }
    this.world.emails.set(email.id, sent)
    node.acceptance.accept({ emails: [email], idempotency: null }).then(
      () => {
        sent.isAcknowledged = true
      },
      () => {},
    )
  }

  #cancel(node: DeliveringNode, sent: SentEmail | undefined) {
    if (!sent?.email.scheduledAt) return
    const { team, id } = sent.email
    const services = { db: node.db, clock: node.db.clock } as SendingServices
    sent.mayBeCanceled = true
    cancelEmail(services, { team } as Actor, id).then(
      () => {
        sent.isCanceled = true
      },
      () => {},
    )
  }

  #delete(node: DeliveringNode, sent: SentEmail | undefined) {
    if (!sent?.isAcknowledged) return
    sent.mayBeDeleted = true
    const { team, id } = sent.email
    node.db.transaction((trx) => deleteEmails(trx, team, [id])).catch(() => {})
  }

  /** Nobody is called dead while it has its lease: that is what the seconds of presence.ts are for. */
  #expire(node: DeliveringNode, choice: number) {
    const others = this.#all.filter((other) => other !== node && !other.hasLease)
    const other = others[choice % others.length]
    if (node.hasLease && other) void node.expire(other.number)
  }

  async #start(slot: number) {
    const name = `node ${slot + 1}${"'".repeat(this.#all.length / NODES)}`
    this.#nodes[slot] = await DeliveringNode.start(name, this.#parts)
    this.#all.push(this.#nodes[slot]!)
  }

  async #pass(seconds: number) {
    this.#stage.clock.advance(seconds)
    await vi.advanceTimersByTimeAsync(seconds * 1_000)
  }

  async #drain() {
    await this.#stage.sessions.quiet()
    while (!this.#barriers.areEmpty) {
      await this.#barriers.next()
      if (this.world.violations.length > 0) throw new Error(this.world.violations.join('\n'))
    }
  }

  /** Nothing goes wrong any more, who is dead is called dead, and there is time for what is left. */
  async #heal() {
    for (const node of this.#nodes) node.failNext(null)
    for (const [slot, node] of this.#nodes.entries()) if (node.isDead) await this.#start(slot)
    for (const node of this.#all) if (node.isDead) void this.#nodes[0]!.expire(node.number)
    for (const seconds of LAST_SECONDS) {
      for (const node of this.#nodes) void node.heartbeat()
      await this.#drain()
      if (await this.#isDone()) return
      this.#stage.clock.advance(RETRY_SECONDS)
      await this.#pass(seconds)
      await this.#drain()
    }
  }

  async #isDone(): Promise<boolean> {
    const { rows } = await this.#stage.sessions.query(sql`
      select from deliveries where state = 'waiting' or holder is not null limit 1`)
    return rows.length === 0
  }

  /** Whatever a worker has in flight keeps it from stopping. */
  async #stop() {
    // For who has not heard that its statement was executed, and sends it again.
    await this.#pass(1)
    await this.#drain()
    let working = this.#nodes.length
    for (const { worker } of this.#nodes) void worker.stop(0).then(() => working--)
    await this.#drain()
    if (working > 0) throw new Error(`${working} workers wait for something that has ended long ago`)
  }
}
