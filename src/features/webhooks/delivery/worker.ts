import type { Database } from '../../../kernel/db/database.ts'
import { type FoundOfKey, KeyedCursors } from '../../../kernel/db/keyed-cursors.ts'
import { withRetries } from '../../../kernel/db/with-retries.ts'
import { WorkerShell } from '../../../kernel/db/worker-shell.ts'
import { OUTBOX_CHANNEL } from '../../../kernel/outbox/record.ts'
import type { Sealer } from '../../../kernel/secrets.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Loop } from '../../../platform/concurrency/loop.ts'
import { groupBy } from '../../../platform/group-by.ts'
import { isSandbox } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/observability/log.ts'
import { type Attempt, type Http, post, type WebhookFaults } from './attempt.ts'
import { EndpointQueues, INITIAL_WINDOW, type NewSlots, STALL_MS } from './endpoint-queues.ts'
import { FAN_OUT_EVENTS, type FannedOut, fanOut } from './fan-out.ts'
import { LargeEvents, MAX_EVENT_BYTES } from './large-events.ts'
import { correctNextDue, findReady, READY_WEBHOOKS, withCursors } from './next-due.ts'
import {
  CLAIM_ROWS,
  type Claimed,
  type ClaimRequest,
  claimDue,
  releaseHeldBy,
  releaseUnknown,
  WEBHOOK_HOLDERS,
  WEBHOOKS_CHANNEL,
} from './queries.ts'
import { SigningKeys } from './secrets.ts'
import { Settler, settledDeliveryOf, type WebhookObserver } from './settle.ts'
import { isOverwhelmed } from './verdict.ts'

/** An answer that was heard is worth waiting for a database that is away. */
const RETRY_FOR_SECONDS = 600
const MAX_IN_FLIGHT = 2_000
/** So long events wait for free slots of a fast endpoint before they become deliveries that wait, if another webhook of the team may want them. */
const MAX_EVENT_WAIT_MS = 5_000
/** There are events that wait for free slots of another process. */
const FAN_OUT_CHANNEL = 'webhook_fan_outs'
const TOO_LARGE = { kind: 'failed', reason: `the event has more than ${MAX_EVENT_BYTES / 1024 / 1024} MB` } as const
/** A scenario that is run again has its retries at the same times. */
const NO_JITTER = 0.5
/** Under load a fan-out is not for one event each. */
const FAN_OUT_REST_MS = 20
const NO_SLOTS = { slots: [], limits: [] }
const NONE: ReadonlySet<string> = new Set()
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

export interface WebhookParts {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly sealer: Sealer
  readonly http: Http
  readonly faults?: WebhookFaults
  /** Teams that can do nothing for now: what their webhooks were to hear waits. */
  readonly teamStates: { readonly suspended: readonly string[] }
  readonly observe?: WebhookObserver
}

/**
 * Tells the outside. Three loops: one turns events into deliveries and holds those at once that there are free slots for, one does so for
 * teams whose events have waited for free slots, and the third claims deliveries that are due. They hand what they have claimed to the queues of
 * the endpoints, and it is posted and settled. A delivery that is given back or taken over may be made twice, under the same id.
 */
export class WebhookWorker {
  readonly #parts: WebhookParts
  readonly #settler: Settler
  readonly #means: Parameters<typeof post>[2]
  readonly #queues: EndpointQueues<Claimed>
  readonly #largeEvents: LargeEvents
  /** In hand is what waits in its queue, or is under way. */
  readonly #shell: WorkerShell<Claimed>
  readonly #deliver: Loop
  readonly #fanOut: Loop
  readonly #refill: Loop
  readonly #eventCursors = new KeyedCursors()
  readonly #cursors = new KeyedCursors()
  /** There may be more that was not claimed for want of room. The next claim says otherwise. */
  #isFull = false
  /** Where the next claim begins: when there is more than fits, the webhooks take turns. */
  #after = BEFORE_ALL
  /** Some webhook is ready, and the events of the last days are not why: what is due is older. */
  #looksAtAll = false
  /** Wakes the fan-out that waits for free slots, should nobody answer. */
  #stall: NodeJS.Timeout | null = null

  constructor(parts: WebhookParts) {
    this.#parts = parts
    this.#settler = new Settler(parts)
    this.#largeEvents = new LargeEvents(parts.db)
    this.#means = { http: parts.http, clock: parts.clock, keys: new SigningKeys(parts.sealer) }
    this.#shell = new WorkerShell(parts, {
      names: { worker: 'webhooks', rows: 'deliveries' },
      channel: WEBHOOKS_CHANNEL,
      holders: WEBHOOK_HOLDERS,
      teamOf: ({ team }) => team,
      release: (nodes) => releaseHeldBy(parts.db, nodes),
      releaseUnknown: (node, known) => releaseUnknown(parts.db, node, known),
      onReleased: () => this.#resetCursors(),
    })
    this.#queues = new EndpointQueues((row) => this.#shell.track(this.#work(row)))
    this.#fanOut = this.#shell.addLoopOn([OUTBOX_CHANNEL, FAN_OUT_CHANNEL], () => this.#fanOutSome(), FAN_OUT_REST_MS)
    this.#refill = this.#shell.addLoopOn([], () => this.#refillSome(), FAN_OUT_REST_MS)
    this.#deliver = this.#shell.addLoop(() => this.#claimSome(), { restMs: 2 })
  }

  start() {
    return this.#shell.start()
  }

  /** Claims nothing more, waits for what is in flight (as long as the caller allows), and gives the rest back. */
  async stop(graceMs: number) {
    if (this.#shell.isStopping) return
    await this.#shell.stop()
    this.#queues.clear()
    await this.#shell.settled(graceMs)
    await this.#shell.release()
    await this.#parts.http.close(0)
  }

  /** Delivers until nothing is due, then returns. */
  runDue() {
    return this.#shell.runDue(async () => {
      this.#resetCursors()
      let claimed = 0
      for (let events = 1; events > 0; ) {
        const fannedOut = await this.#takeEvents()
        events = fannedOut.events
        claimed += fannedOut.claimed.length
      }
      const due = await this.#claim()
      return due.claimed > 0 || claimed > 0 || due.isMore
    })
  }

  /** Looks at all teams. From then on those with more events than free slots are left to refills. */
  async #fanOutSome(): Promise<boolean> {
    const { events, cut, isWhole } = await this.#takeEvents({ isPaced: true })
    const known = new Set(cut)
    const left = this.#expectEvents(cut, (team) => isWhole || known.has(team))
    return left.size < cut.length || (!isWhole && events > 0)
  }

  /** Looks at teams that have got free slots for events that wait, and at no others: an answer of one endpoint brings a look at one team. */
  async #refillSome(): Promise<boolean> {
    this.#isFull ||= !this.#hasCapacity()
    if (this.#isFull) return false
    const teams = this.#queues.takeRefillable(FAN_OUT_EVENTS)
    if (teams.size === 0) return false
    const { cut } = await this.#takeEvents({ isPaced: true, teams })
    const left = this.#expectEvents(cut, (team) => teams.has(team))
    if (left.size < cut.length) this.#fanOut.wake()
    return false
  }

  /** Gives the teams of `cut` whose events wait for free slots. Of the others whatever is left is taken at once. */
  #expectEvents(cut: readonly string[], isLookedAt: (team: string) => boolean): Set<string> {
    const fast = new Set(this.#queues.askForNew(new Set(cut)).limits.map(({ team }) => team))
    const left = new Set(cut.filter((team) => fast.has(team)))
    const isNew = this.#queues.expectEvents(left, isLookedAt)
    if (isNew) this.#parts.db.signals.wakePeer(FAN_OUT_CHANNEL)
    if (left.size > 0) this.#watchForSilence()
    if (this.#queues.findRefillable()) this.#wakeRefill()
    return left
  }

  #wakeRefill() {
    if (this.#queues.isRefillDue) this.#refill.wakeAtOnce()
    else this.#refill.wake()
  }

  /** The queue of an endpoint that has become silent does not hold up the events of its team any longer. */
  #watchForSilence() {
    this.#stall ??= setTimeout(() => {
      this.#stall = null
      if (this.#queues.hasSilent) this.#fanOut.wake()
      else if (this.#queues.expectingTeams.size > 0 && !this.#shell.isStopping) this.#watchForSilence()
    }, STALL_MS).unref()
  }

  /**
   * Turns events into deliveries, and begins with those that there are free slots for. `isPaced`: the events of busy teams wait for theirs.
   * `teams`: only events of these.
   */
  async #takeEvents({ isPaced = false, teams }: { isPaced?: boolean; teams?: ReadonlySet<string> } = {}) {
    const { db, clock, teamStates } = this.#parts
    let fannedOut: FannedOut | undefined
    const takeEvents = async (node: number) => {
      const now = clock.now()
      const hasCapacity = this.#hasCapacity()
      const { slots, limits } = hasCapacity ? this.#queues.askForNew(teams) : NO_SLOTS
      const refilled = teams ? NONE : this.#queues.expectingTeams
      const otherSlots = hasCapacity ? INITIAL_WINDOW : 0
      const since = new Date(now.getTime() - MAX_EVENT_WAIT_MS)
      fannedOut = await fanOut(db, now, {
        cursors: this.#eventCursors,
        ...(teams && { teams: [...teams] }),
        isAlone: !db.signals.hasPeer(FAN_OUT_CHANNEL),
        claim: { node, slots, otherSlots, except: teamStates.suspended },
        ...(isPaced &&
          hasCapacity && { backpressure: { limits: limitsBeside(refilled, limits), otherLimit: otherSlots, since } }),
      })
      return [...fannedOut.claimed]
    }
    const claimed = await this.#shell.claim(takeEvents, { isPooled: true })
    this.#queues.enterNew(claimed, fannedOut!.overflowing)
    if (isPaced && fannedOut!.overflowing.length > 0) db.signals.announce(WEBHOOKS_CHANNEL)
    return fannedOut!
  }

  #resetCursors() {
    this.#eventCursors.reset()
    this.#cursors.reset()
  }

  async #claimSome(): Promise<boolean> {
    this.#isFull = !this.#hasCapacity()
    if (this.#isFull) {
      this.#shell.wakePeer()
      return false
    }
    return (await this.#claim()).isMore
  }

  #hasCapacity() {
    // A node whose heartbeats are late may be called dead: it holds less that would have to be given back.
    const most = MAX_IN_FLIGHT * this.#parts.db.presence.claimShare
    return this.#shell.inFlight.size <= Math.max(0, most - CLAIM_ROWS)
  }

  /** There is more when not everything fitted into the claim, and when the claim did not look at everything. */
  async #claim(): Promise<{ claimed: number; isMore: boolean }> {
    const { db, clock, teamStates } = this.#parts
    const now = clock.now()
    const isFromTheStart = this.#after === BEFORE_ALL
    const start = this.#cursors.begin(this.#after)
    const except = teamStates.suspended
    const ready = await findReady(db, { after: this.#after, now, except })
    const isOfLateEvents = !this.#looksAtAll
    const begin = performance.now()
    let slots: ClaimRequest['slots'] = []
    const claimReady = (node: number) => {
      slots = this.#queues.ask()
      const webhooks = withCursors(ready, start)
      return claimDue(db, { node, now, webhooks, slots, otherSlots: INITIAL_WINDOW, except, isOfLateEvents })
    }
    // Nothing is due: what an endpoint had no slots for, others have taken. It is asked for all the same, or it would be looked for again and again.
    if (ready.length === 0) slots = this.#queues.ask()
    const rows = ready.length > 0 ? await this.#shell.claim(claimReady) : []
    const tookMs = performance.now() - begin
    const isCutOff = rows.length >= CLAIM_ROWS
    const isWhole = !isCutOff && ready.length < READY_WEBHOOKS
    const slotsOf = new Map(slots.map((one) => [one.webhookId, one.slots]))
    const isLookedAt = (webhookId: string) => isWhole && slotsOf.get(webhookId) !== 0
    this.#cursors.finish(start, { found: foundIn(rows, slotsOf, isWhole), isLookedAt, now, tookMs })
    this.#after = isWhole ? BEFORE_ALL : isCutOff ? lastOf(rows) : ready.at(-1)!.webhookId
    const found = new Set(rows.map(({ webhookId }) => webhookId))
    const idle = ready.filter(({ webhookId }) => !found.has(webhookId) && slotsOf.get(webhookId) !== 0)
    const isStillDue = !isCutOff && idle.length > 0 && (await correctNextDue(db, idle, now))
    this.#looksAtAll = isOfLateEvents && isStillDue
    const isCut = this.#queues.enter(rows, { isWhole: isWhole && isFromTheStart })
    if (this.#queues.findRefillable()) this.#wakeRefill()
    return { claimed: rows.length, isMore: isCut || this.#looksAtAll || !isWhole || !isFromTheStart }
  }

  /** The queue is free for the next one as soon as the other side has answered; writing it down holds up nobody. */
  async #work(row: Claimed) {
    const { db, clock, log } = this.#parts
    try {
      // Without a valid lease, somebody else may have the row by now.
      const isOurs = () => db.presence.holdsLease(row.holder)
      const attempt = await this.#largeEvents.run(row, async () => (isOurs() ? this.#attempt(row) : null))
      this.#leave(row, attempt)
      if (this.#shell.hasReleased) return
      if (!attempt) return this.#shell.markUncertain()
      const settled = settledDeliveryOf(row, attempt, {
        clock: clock.of(row.team),
        random: isSandbox(row.team) ? NO_JITTER : Math.random(),
      })
      const isOfUse = () => !this.#shell.hasReleased
      await withRetries(() => this.#settler.settle(settled), { seconds: RETRY_FOR_SECONDS, isOfUse })
    } catch (error) {
      const { webhookId, eventId } = row
      log.error({ error, webhook: webhookId, event: eventId }, 'webhooks: settling a delivery failed; it is retried')
      this.#shell.markUncertain()
    } finally {
      this.#shell.inFlight.remove([row])
      if (row.batch && --row.batch.inFlight === 0 && row.batch.unsettled > 0) this.#shell.markUncertain()
      if (this.#isFull && this.#hasCapacity()) this.#deliver.wake()
    }
  }

  #leave({ webhookId }: Claimed, attempt: Attempt | null) {
    const next = this.#queues.leave(
      webhookId,
      attempt ? { isOverwhelmed: isOverwhelmed(attempt.outcome), tookMs: attempt.durationMs } : { isOverwhelmed: true },
    )
    if (next === 'deliveries') this.#deliver.wake()
    else if (next === 'events') this.#wakeRefill()
  }

  /** The way out does not throw for what the other side does: a fault here is ours, and the event is not lost for it. */
  async #attempt(row: Claimed): Promise<Attempt> {
    const { clock, log, faults } = this.#parts
    try {
      const faulty = faults?.of(row)
      const fault = faulty && (await faulty)
      if (fault) return { sentAt: clock.now(), ...fault }
      const data = row.data ?? (await this.#largeEvents.dataOf(row))
      if (data === null) return { sentAt: clock.now(), durationMs: 0, outcome: TOO_LARGE }
      return await post(row, data, this.#means)
    } catch (error) {
      log.error({ error, webhook: row.webhookId, event: row.eventId }, 'webhooks: sending an event failed')
      const outcome = { kind: 'failed', reason: 'sending the event failed' } as const
      return { sentAt: clock.now(), durationMs: 0, outcome }
    }
  }
}

const limitsBeside = (refilled: ReadonlySet<string>, limits: NewSlots['limits']): NewSlots['limits'] =>
  limits.map((limit) => (refilled.has(limit.team) ? { ...limit, events: 0 } : limit))

/** Moments of a sandbox are in a time of its own: its webhooks are always looked at from the beginning. */
function foundIn(rows: readonly Claimed[], slotsOf: ReadonlyMap<string, number>, isWhole: boolean): FoundOfKey[] {
  const ofWebhook = groupBy(
    rows.filter(({ team }) => !isSandbox(team)),
    ({ webhookId }) => webhookId,
  )
  return [...ofWebhook].map(([key, own]) => ({
    key,
    rows: own.length,
    isCut: !isWhole || own.length >= (slotsOf.get(key) ?? INITIAL_WINDOW),
    latest: new Date(Math.max(...own.map(({ dueAt }) => dueAt.getTime()))),
  }))
}

const lastOf = (rows: readonly Claimed[]) =>
  rows
    .map(({ webhookId }) => webhookId)
    .sort()
    .at(-1)!
