import { setTimeout as wait } from 'node:timers/promises'
import { OUTBOX_CHANNEL } from '../outbox/record.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/db/database.ts'
import { DeadNodes, LOOK_FOR_DEAD_NODES_MS } from '../platform/db/dead-nodes.ts'
import { patiently } from '../platform/db/patiently.ts'
import type { Log } from '../platform/log.ts'
import { Loop } from '../platform/loop.ts'
import type { Sealer } from '../platform/secrets.ts'
import { type Attempt, type Http, post, TIMEOUT_MS } from './attempt.ts'
import { FIRST_WINDOW, Lanes } from './lanes.ts'
import {
  CLAIM_ROWS,
  type Claimed,
  claimDue,
  fanOut,
  releaseHeldBy,
  WEBHOOK_HOLDERS,
  WEBHOOKS_CHANNEL,
} from './queries.ts'
import { SigningKeys } from './secrets.ts'
import { Settler, settlementOf } from './settle.ts'
import { isOverwhelmed } from './verdict.ts'

/** Longer than any attempt can take: a row must not become due while it is being sent. */
export const LEASE_SECONDS = 60
const ROWS_IN_HAND = 2_000
const POLL_MS = 1_000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

interface Leased {
  readonly team: string
  readonly webhookId: string
  readonly claimed: Claimed
  readonly leasedUntil: Date
}

export interface WebhookParts {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly sealer: Sealer
  readonly http: Http
}

/**
 * Tells the outside. Two loops: one turns events into deliveries, the other claims deliveries that are due, posts and settles them.
 * A row leaves a worker's hands in one of three ways: settled, given back when the process stops, or taken back by another node
 * when this one is gone (within a second) or its lease is over. The last two may tell an event twice, under the same id.
 */
export class WebhookWorker {
  readonly #parts: WebhookParts
  readonly #node: number
  readonly #settler: Settler
  readonly #means: Parameters<typeof post>[1]
  readonly #lanes = new Lanes<Leased>((row) => this.#keep(this.#work(row)))
  readonly #inHand = new Set<Promise<void>>()
  readonly #deadNodes = new DeadNodes(WEBHOOK_HOLDERS)
  readonly #fanOut = new Loop(() => this.#quietly(() => this.#fanOutSome()), { pollMs: POLL_MS, restMs: 20 })
  readonly #deliver = new Loop(() => this.#quietly(() => this.#claimSome()), { pollMs: POLL_MS, restMs: 2 })
  #rowsInHand = 0
  /** There may be more that was not claimed for want of room. */
  #isFull = false
  /** Where the next claim begins: when there is more than fits, the webhooks take turns. */
  #after = BEFORE_ALL
  #timer: NodeJS.Timeout | undefined
  #isStopping = false
  /** From here on nothing is ours any more. */
  #hasGivenBack = false

  constructor(parts: WebhookParts) {
    this.#parts = parts
    this.#node = parts.db.signals.node
    this.#settler = new Settler(parts)
    this.#means = { http: parts.http, clock: parts.clock, keys: new SigningKeys(parts.sealer) }
  }

  async start() {
    const { signals } = this.#parts.db
    await signals.start()
    signals.on(OUTBOX_CHANNEL, () => this.#fanOut.wake())
    signals.on(WEBHOOKS_CHANNEL, () => this.#deliver.wake())
    this.#timer = setInterval(() => this.#quietly(() => this.#takeOver()), LOOK_FOR_DEAD_NODES_MS)
    this.#fanOut.start()
    this.#deliver.start()
  }

  /** Claims nothing more, waits for what is in hand (as long as the caller allows), and gives the rest back. */
  async stop(graceMs: number) {
    if (this.#isStopping) return
    this.#isStopping = true
    clearInterval(this.#timer)
    await Promise.all([this.#fanOut.stop(), this.#deliver.stop()])
    this.#lanes.clear()
    await Promise.race([this.#settled(), wait(graceMs, undefined, { ref: false })])
    this.#hasGivenBack = true
    await this.#quietly(() => this.#giveBack())
    await this.#parts.http.close(0)
  }

  /** Delivers until nothing is due, then returns: what tests call instead of waiting for a loop. */
  async runDue() {
    for (;;) {
      while ((await this.#takeEvents()).events > 0);
      const isFromTheStart = this.#after === BEFORE_ALL
      if ((await this.#claim()) === 0 && isFromTheStart) return
      await this.#settled()
    }
  }

  async #fanOutSome(): Promise<boolean> {
    const { events, hasMore } = await this.#takeEvents()
    if (events > 0) this.#parts.db.signals.announce(WEBHOOKS_CHANNEL)
    return hasMore
  }

  #takeEvents() {
    return fanOut(this.#parts.db, this.#parts.clock.now())
  }

  /** There is more when not everything fitted into the claim, and when the claim did not look at everything. */
  async #claimSome(): Promise<boolean> {
    this.#isFull = !this.#hasRoom()
    if (this.#isFull) return false
    const isFromTheStart = this.#after === BEFORE_ALL
    await this.#claim()
    return !isFromTheStart || this.#after !== BEFORE_ALL
  }

  #hasRoom() {
    return ROWS_IN_HAND - this.#rowsInHand >= CLAIM_ROWS
  }

  async #claim(): Promise<number> {
    const now = this.#parts.clock.now()
    const leasedUntil = new Date(now.getTime() + LEASE_SECONDS * 1_000)
    const rows = await claimDue(this.#parts.db, {
      node: this.#node,
      now,
      leasedUntil,
      after: this.#after,
      rooms: this.#lanes.ask(),
      otherRoom: FIRST_WINDOW,
    })
    this.#after = rows.length === CLAIM_ROWS ? lastOf(rows) : BEFORE_ALL
    this.#rowsInHand += rows.length
    this.#lanes.enter(
      rows.map((claimed) => ({ team: claimed.team, webhookId: claimed.webhookId, claimed, leasedUntil })),
    )
    return rows.length
  }

  /** The lane is free for the next one as soon as the other side has answered; writing it down holds up nobody. */
  async #work({ claimed: row, leasedUntil }: Leased) {
    const { clock, log } = this.#parts
    try {
      // One that has waited so long that its lease might end before the attempt is due again by itself, for whoever has time.
      const hasTime = leasedUntil.getTime() - clock.now().getTime() > TIMEOUT_MS
      const attempt = hasTime ? await this.#attempt(row) : null
      if (this.#lanes.leave(row.webhookId, !attempt || isOverwhelmed(attempt.outcome))) this.#deliver.wake()
      if (!attempt || this.#hasGivenBack) return
      const settlement = settlementOf(row, attempt, { now: clock.now(), random: Math.random() })
      const isOfUse = () => !this.#hasGivenBack
      await patiently(() => this.#settler.settle(settlement), { seconds: LEASE_SECONDS, isOfUse })
    } catch (error) {
      const { webhookId, eventId } = row
      log.error({ error, webhook: webhookId, event: eventId }, 'an event could not be settled; it comes back later')
    } finally {
      this.#rowsInHand--
      if (this.#isFull && this.#hasRoom()) this.#deliver.wake()
    }
  }

  /** The way out does not throw for what the other side does: a fault here is ours, and the event is not lost for it. */
  async #attempt(row: Claimed): Promise<Attempt> {
    const { clock, log } = this.#parts
    try {
      return await post(row, this.#means)
    } catch (error) {
      log.error({ error, webhook: row.webhookId, event: row.eventId }, 'an event could not be sent')
      const outcome = { kind: 'failed', reason: 'the event could not be sent' } as const
      return { sentAt: clock.now(), durationMs: 0, outcome }
    }
  }

  #keep(work: Promise<void>) {
    this.#inHand.add(work)
    work.finally(() => this.#inHand.delete(work))
  }

  async #settled() {
    while (this.#inHand.size > 0) await Promise.all(this.#inHand)
  }

  async #giveBack(): Promise<boolean> {
    await releaseHeldBy(this.#parts.db, [this.#node], this.#parts.clock.now())
    return false
  }

  async #takeOver(): Promise<boolean> {
    const { db, clock, log } = this.#parts
    const gone = await this.#deadNodes.look(db)
    if (gone.length === 0) return false
    const released = await releaseHeldBy(db, gone, clock.now())
    log.warn({ deliveries: released }, 'took over webhooks of a process that is gone')
    this.#deliver.wake()
    return true
  }

  /** False also when the database is away: then the next round tries again. */
  async #quietly(work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work()
    } catch (error) {
      if (!this.#isStopping) this.#parts.log.warn({ error }, 'the webhook worker could not reach the database')
      return false
    }
  }
}

const lastOf = (rows: readonly Claimed[]) =>
  rows
    .map(({ webhookId }) => webhookId)
    .sort()
    .at(-1)!
