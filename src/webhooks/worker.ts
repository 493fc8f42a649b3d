import { setTimeout as wait } from 'node:timers/promises'
import { OUTBOX_CHANNEL } from '../outbox/record.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/db/database.ts'
import { levelOf } from '../platform/db/errors.ts'
import { LostClaims } from '../platform/db/lost-claims.ts'
import { patiently } from '../platform/db/patiently.ts'
import { TakeOver } from '../platform/db/take-over.ts'
import type { Log } from '../platform/log.ts'
import { Loop } from '../platform/loop.ts'
import type { Sealer } from '../platform/secrets.ts'
import { type Attempt, type Http, post } from './attempt.ts'
import { FIRST_WINDOW, Lanes } from './lanes.ts'
import { LargeEvents, MAX_EVENT_BYTES } from './large-events.ts'
import {
  CLAIM_ROWS,
  type Claimed,
  claimDue,
  fanOut,
  releaseHeldBy,
  releaseUnknown,
  WEBHOOK_HOLDERS,
  WEBHOOKS_CHANNEL,
} from './queries.ts'
import { SigningKeys } from './secrets.ts'
import { Settler, settlementOf, type WebhookObserver } from './settle.ts'
import { isOverwhelmed } from './verdict.ts'

/** An answer that was heard is worth waiting for a database that is away. */
const PATIENCE_SECONDS = 600
const ROWS_IN_HAND = 2_000
const POLL_MS = 1_000
const TOO_LARGE = { kind: 'failed', reason: `the event has more than ${MAX_EVENT_BYTES / 1024 / 1024} MB` } as const
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

export interface WebhookParts {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly sealer: Sealer
  readonly http: Http
  readonly observe?: WebhookObserver
}

/**
 * Tells the outside. Two loops: one turns events into deliveries, the other claims deliveries that are due, posts and settles them.
 * What is claimed is this node's as long as the node lives. A row leaves its hands in one of three ways: settled, given back when the
 * process stops, or taken over when this node is gone. The last two may tell an event twice, under the same id.
 */
export class WebhookWorker {
  readonly #parts: WebhookParts
  readonly #settler: Settler
  readonly #means: Parameters<typeof post>[1]
  readonly #lanes = new Lanes<Claimed>((row) => this.#keep(this.#work(row)))
  readonly #working = new Set<Promise<void>>()
  /** Waiting in their lanes, or under way. */
  readonly #inHand = new Set<Claimed>()
  readonly #largeEvents: LargeEvents
  readonly #takeOver: TakeOver
  readonly #lostClaims = new LostClaims()
  readonly #fanOut = new Loop(async () => Boolean(await this.#quietly(() => this.#fanOutSome())), {
    pollMs: POLL_MS,
    restMs: 20,
  })
  readonly #deliver = new Loop(async () => Boolean(await this.#quietly(() => this.#claimSome())), {
    pollMs: POLL_MS,
    restMs: 2,
  })
  /** There may be more that was not claimed for want of room. */
  #isFull = false
  /** Where the next claim begins: when there is more than fits, the webhooks take turns. */
  #after = BEFORE_ALL
  #stopListening = () => {}
  #isStopping = false
  /** From here on nothing is ours any more. */
  #hasGivenBack = false

  constructor(parts: WebhookParts) {
    this.#parts = parts
    this.#takeOver = new TakeOver({
      db: parts.db,
      holders: WEBHOOK_HOLDERS,
      release: (nodes) => this.#release(nodes),
      quietly: (work) => this.#quietly(work),
    })
    this.#settler = new Settler(parts)
    this.#largeEvents = new LargeEvents(parts.db)
    this.#means = { http: parts.http, clock: parts.clock, keys: new SigningKeys(parts.sealer) }
  }

  async start() {
    const { presence, signals } = this.#parts.db
    await presence.start()
    const endings = [
      signals.work(OUTBOX_CHANNEL, () => this.#fanOut.wake()),
      signals.work(WEBHOOKS_CHANNEL, () => this.#deliver.wake()),
    ]
    this.#stopListening = () => {
      for (const end of endings) end()
    }
    this.#takeOver.start()
    this.#fanOut.start()
    this.#deliver.start()
  }

  /** Claims nothing more, waits for what is in hand (as long as the caller allows), and gives the rest back. */
  async stop(graceMs: number) {
    if (this.#isStopping) return
    this.#isStopping = true
    this.#stopListening()
    this.#takeOver.stop()
    await Promise.all([this.#fanOut.stop(), this.#deliver.stop()])
    this.#lanes.clear()
    await Promise.race([this.#settled(), wait(graceMs, undefined, { ref: false })])
    this.#hasGivenBack = true
    await this.#quietly(() => releaseHeldBy(this.#parts.db, [this.#parts.db.presence.node]))
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
    if (!this.#parts.db.presence.mayWork) return false
    const { events, hasMore } = await this.#takeEvents()
    if (events > 0) this.#parts.db.signals.announce(WEBHOOKS_CHANNEL)
    return hasMore
  }

  #takeEvents() {
    return fanOut(this.#parts.db, this.#parts.clock.now())
  }

  /** There is more when not everything fitted into the claim, and when the claim did not look at everything. */
  async #claimSome(): Promise<boolean> {
    const { presence, signals } = this.#parts.db
    if (!presence.mayWork) return false
    this.#isFull = !this.#hasRoom()
    if (this.#isFull) {
      signals.passOn(WEBHOOKS_CHANNEL)
      return false
    }
    const isFromTheStart = this.#after === BEFORE_ALL
    await this.#claim()
    return !isFromTheStart || this.#after !== BEFORE_ALL
  }

  #hasRoom() {
    return ROWS_IN_HAND - this.#inHand.size >= CLAIM_ROWS
  }

  async #claim(): Promise<number> {
    const { db, clock } = this.#parts
    const { node } = db.presence
    const claim = { node, now: clock.now(), after: this.#after, rooms: this.#lanes.ask(), otherRoom: FIRST_WINDOW }
    const rows = await this.#lostClaims.claim(
      () => claimDue(db, claim),
      () => releaseUnknown(db, node, this.#inHand),
    )
    this.#after = rows.length === CLAIM_ROWS ? lastOf(rows) : BEFORE_ALL
    for (const row of rows) this.#inHand.add(row)
    this.#lanes.enter(rows)
    return rows.length
  }

  /** The lane is free for the next one as soon as the other side has answered; writing it down holds up nobody. */
  async #work(row: Claimed) {
    const { db, clock, log } = this.#parts
    try {
      // Without a proof that this node lives, somebody else may have the row by now.
      const isOurs = () => db.presence.isProven(row.holder)
      const attempt = await this.#largeEvents.run(row, async () => (isOurs() ? this.#attempt(row) : null))
      if (this.#lanes.leave(row.webhookId, !attempt || isOverwhelmed(attempt.outcome))) this.#deliver.wake()
      if (this.#hasGivenBack) return
      if (!attempt) return this.#lostClaims.suspect()
      const settlement = settlementOf(row, attempt, { now: clock.now(), random: Math.random() })
      const isOfUse = () => !this.#hasGivenBack
      await patiently(() => this.#settler.settle(settlement), { seconds: PATIENCE_SECONDS, isOfUse })
    } catch (error) {
      const { webhookId, eventId } = row
      log.error({ error, webhook: webhookId, event: eventId }, 'an event could not be settled; it comes back later')
      this.#lostClaims.suspect()
    } finally {
      this.#inHand.delete(row)
      if (this.#isFull && this.#hasRoom()) this.#deliver.wake()
    }
  }

  /** The way out does not throw for what the other side does: a fault here is ours, and the event is not lost for it. */
  async #attempt(row: Claimed): Promise<Attempt> {
    const { clock, log } = this.#parts
    try {
      const data = await this.#largeEvents.dataOf(row)
      if (data === null) return { sentAt: clock.now(), durationMs: 0, outcome: TOO_LARGE }
      return await post({ ...row, data }, this.#means)
    } catch (error) {
      log.error({ error, webhook: row.webhookId, event: row.eventId }, 'an event could not be sent')
      const outcome = { kind: 'failed', reason: 'the event could not be sent' } as const
      return { sentAt: clock.now(), durationMs: 0, outcome }
    }
  }

  #keep(work: Promise<void>) {
    this.#working.add(work)
    work.finally(() => this.#working.delete(work))
  }

  async #settled() {
    while (this.#working.size > 0) await Promise.all(this.#working)
  }

  async #release(nodes: readonly number[]) {
    const { db, log } = this.#parts
    const released = await releaseHeldBy(db, nodes)
    if (released === 0) return
    log.warn({ deliveries: released }, 'took over webhooks of a process that is gone')
    this.#deliver.wake()
  }

  /** Nothing when the database is away: then the next round tries again. */
  async #quietly<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!this.#isStopping)
        this.#parts.log[levelOf(error, 'warn')]({ error }, 'the webhook worker could not reach the database')
      return undefined
    }
  }
}

const lastOf = (rows: readonly Claimed[]) =>
  rows
    .map(({ webhookId }) => webhookId)
    .sort()
    .at(-1)!
