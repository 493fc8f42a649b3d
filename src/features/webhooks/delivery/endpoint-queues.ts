import { groupBy } from '../../../platform/group-by.ts'
import { isSandbox } from '../../../platform/ids.ts'

interface EndpointQueue<Row> {
  readonly team: string
  readonly waiting: Row[]
  inFlight: number
  /** How many attempts may be under way at a time. */
  window: number
  /** How much the claim that is under way may bring. */
  asked: number
  /** It brought all that: there may be more that is due. */
  hasMore: boolean
  /** Events of its team wait until there are free slots. */
  hasNewEvents: boolean
  /** How long its answers take, the last ones more than those before. */
  answerMs: number
  /** When it opened, or answered last. */
  activeAt: number
}

/** What an endpoint without a queue gets: little, should it be dead. */
export const INITIAL_WINDOW = 5
export const MAX_WINDOW = 50
/**
 * Rows in flight of all endpoints of one team that have a queue: half of what a process takes in flight. Endpoints without one come on
 * top, 5 rows each; a team has no more than 100.
 */
export const MAX_TEAM_IN_FLIGHT = 1_000
/** With more endpoints than this, idle ones that failed are forgotten: each is named in every claim. */
export const MAX_REMEMBERED = 1_000
/** An endpoint that answers within this time is fast (50 at a time are 200 a second), until it has been silent for `STALL_MS`. */
const FAST_MS = 250
export const STALL_MS = 250
/** How much of the window may wait in the queue, beyond the first slots: a fast endpoint is through with it at once. */
const WAITING_WINDOWS = 1
const FAST_WAITING_WINDOWS = 3
/** With free slots for so many events that wait, a fan-out costs hardly more than they do. */
const MIN_REFILL_EVENTS = 50

/** What is worth looking for when an attempt has ended: deliveries that are due, or events without deliveries yet. */
export type NextWork = 'deliveries' | 'events' | null

/** What the next fan-out may bring. */
export interface NewSlots {
  readonly slots: readonly { readonly webhookId: string; readonly slots: number }[]
  /** Of teams whose endpoints are fast: so many events have room, and the others have only to wait a moment for it. */
  readonly limits: readonly { readonly team: string; readonly events: number }[]
}

/**
 * How much of this process each endpoint may take. Every good answer widens its window by one; silence, or a request to slow down,
 * narrows it to a single attempt at a time. So a dead endpoint costs one slot, whatever waits for it, and the first answer after
 * its return opens the window again. The queue of a wide one holds more than is under way, so that the next attempts begin while more is claimed.
 * New deliveries enter without a claim as long as nothing waits in the ledger that they would overtake.
 */
export class EndpointQueues<Row extends { readonly webhookId: string; readonly team: string }> {
  readonly #queues = new Map<string, EndpointQueue<Row>>()
  readonly #rowsOfTeam = new Map<string, number>()
  /** Queues with free slots that events wait for: the next refill is for their teams. */
  readonly #refillable = new Set<EndpointQueue<Row>>()
  /** How many queues there are whose events wait for free slots. */
  #expecting = 0
  readonly #begin: (row: Row) => void

  constructor(begin: (row: Row) => void) {
    this.#begin = begin
  }

  /** What the next claim may bring to each endpoint that is not like an unknown one. The endpoints of a team take turns at its share. */
  ask(): { webhookId: string; slots: number }[] {
    const slotsOfTeams = new Map<string, number>()
    return [...this.#queues].map(([webhookId, queue]) => {
      const ofTeam = slotsOfTeams.get(queue.team) ?? this.#freeSlotsOf(queue.team)
      const slots = freeSlots(queue)
      queue.asked = Math.min(slots, ofTeam)
      slotsOfTeams.set(queue.team, ofTeam - queue.asked)
      // What it does not get for its team's sake may be there all the same: next time it is asked for before that of the others.
      if (queue.asked < slots) queue.hasMore = true
      else this.#moveToEnd(webhookId, queue)
      return { webhookId, slots: queue.asked }
    })
  }

  /**
   * Takes what the claim has brought, and begins with it in its order. `isWhole`: it has looked at every endpoint. Tells whether another
   * claim can bring what this one had no slots for.
   */
  enter(rows: readonly Row[], { isWhole }: { isWhole: boolean } = { isWhole: true }): boolean {
    const brought = groupBy(rows, ({ webhookId }) => webhookId)
    const refused = [...this.#queues.values()].filter(({ asked, hasMore }) => asked === 0 && hasMore)
    for (const [webhookId, queue] of this.#queues) {
      const count = brought.get(webhookId)?.length ?? 0
      if (queue.asked > 0 && (isWhole || count > 0)) queue.hasMore = count >= queue.asked
      if (isWhole && count === 0) this.#forgetIfIdle(webhookId, queue)
    }
    for (const [webhookId, own] of brought) this.#enter(webhookId, own, own.length >= INITIAL_WINDOW)
    return refused.some((queue) => freeSlots(queue) > 0 && this.#freeSlotsOf(queue.team) > 0)
  }

  /** What the next fan-out may bring to endpoints that have a queue. `teams`: only those of these teams. */
  askForNew(teams?: ReadonlySet<string>): NewSlots {
    const limits = new Map<string, number>()
    const slots: { webhookId: string; slots: number }[] = []
    for (const [webhookId, queue] of this.#queues) {
      if (teams && !teams.has(queue.team)) continue
      const free = queue.hasMore ? 0 : Math.min(freeSlots(queue), this.#freeSlotsOf(queue.team))
      if (isFast(queue)) limits.set(queue.team, Math.max(isLow(queue) ? free : 0, limits.get(queue.team) ?? 0))
      slots.push({ webhookId, slots: free })
    }
    return { slots, limits: [...limits].map(([team, events]) => ({ team, events })) }
  }

  /** Takes what the fan-out has brought. Endpoints that it had more for find it in the ledger. */
  enterNew(rows: readonly Row[], overflowing: Iterable<string>) {
    for (const [webhookId, own] of groupBy(rows, ({ webhookId }) => webhookId)) this.#enter(webhookId, own, false)
    for (const webhookId of overflowing) {
      const queue = this.#queues.get(webhookId)
      if (queue) queue.hasMore = true
    }
  }

  /**
   * Events of these teams wait for free slots; those of all others that were looked at have been fanned out. Tells whether there are teams
   * among them of which that was not known.
   */
  expectEvents(teams: ReadonlySet<string>, isLookedAt: (team: string) => boolean = () => true): boolean {
    let isNew = false
    this.#expecting = 0
    for (const [webhookId, queue] of this.#queues) {
      if (teams.has(queue.team)) {
        isNew ||= !queue.hasNewEvents
        queue.hasNewEvents = true
      } else if (isLookedAt(queue.team)) queue.hasNewEvents = false
      if (queue.hasNewEvents) this.#expecting++
      this.#forgetIfIdle(webhookId, queue)
    }
    return isNew
  }

  /** Teams with fast endpoints whose events wait for free slots: those are taken by refills. */
  get expectingTeams(): ReadonlySet<string> {
    const teams = new Set<string>()
    for (const queue of this.#queues.values()) if (queue.hasNewEvents && isFast(queue)) teams.add(queue.team)
    return teams
  }

  /** An endpoint has become silent that events wait for. */
  get hasSilent(): boolean {
    for (const queue of this.#queues.values()) if (queue.hasNewEvents && !isFast(queue)) return true
    return false
  }

  /** Looks at all queues: whether events wait for slots that are free. */
  findRefillable(): boolean {
    for (const queue of this.#queues.values()) if (nextWorkOf(queue) === 'events') this.#refillable.add(queue)
    return this.#refillable.size > 0
  }

  /** Teams with free slots that events wait for, which the next refill looks at. Those that are left over are for the one after it. */
  takeRefillable(limit: number): Set<string> {
    const teams = new Set<string>()
    for (const queue of this.#refillable) {
      if (teams.size >= limit) break
      this.#refillable.delete(queue)
      if (nextWorkOf(queue) === 'events') teams.add(queue.team)
    }
    return teams
  }

  /** A refill is for several endpoints, as long as there are others whose answers bring free slots: at once for many events, or for most endpoints that wait. */
  get isRefillDue(): boolean {
    if (this.#refillable.size * 2 >= this.#expecting) return this.#refillable.size > 0
    let events = 0
    for (const queue of this.#refillable) {
      events += freeSlots(queue)
      if (events >= MIN_REFILL_EVENTS) return true
    }
    return false
  }

  /** An attempt is over. Tells what it is worth looking for: one by one that would cost more than sending. */
  leave(webhookId: string, { isOverwhelmed, tookMs = 0 }: { isOverwhelmed: boolean; tookMs?: number }): NextWork {
    const queue = this.#queues.get(webhookId)!
    queue.window = isOverwhelmed ? 1 : Math.min(queue.window + 1, MAX_WINDOW)
    queue.answerMs += (tookMs - queue.answerMs) / 8
    queue.activeAt = performance.now()
    queue.inFlight--
    this.#count(queue, -1)
    this.#beginNext(queue)
    this.#forgetIfIdle(webhookId, queue)
    const next = nextWorkOf(queue)
    if (next === 'events') this.#refillable.add(queue)
    return next
  }

  /** Begins with nothing more. */
  clear() {
    for (const queue of this.#queues.values()) {
      this.#count(queue, -queue.waiting.length)
      queue.waiting.length = 0
    }
  }

  #enter(webhookId: string, rows: readonly Row[], hasMore: boolean) {
    const queue = this.#queues.get(webhookId) ?? this.#open(rows[0]!, hasMore)
    this.#count(queue, rows.length)
    queue.waiting.push(...rows)
    this.#beginNext(queue)
  }

  #forgetIfIdle(webhookId: string, queue: EndpointQueue<Row>) {
    if (queue.inFlight + queue.waiting.length > 0 || queue.hasMore || queue.hasNewEvents) return
    // Sandboxes come and go by the thousand: how an endpoint of theirs has fared is not worth remembering.
    const isOfNoUse = queue.window >= INITIAL_WINDOW || isSandbox(queue.team)
    if (isOfNoUse || this.#queues.size > MAX_REMEMBERED) this.#queues.delete(webhookId)
  }

  #freeSlotsOf(team: string): number {
    return Math.max(0, MAX_TEAM_IN_FLIGHT - (this.#rowsOfTeam.get(team) ?? 0))
  }

  #moveToEnd(webhookId: string, queue: EndpointQueue<Row>) {
    this.#queues.delete(webhookId)
    this.#queues.set(webhookId, queue)
  }

  #count({ team }: EndpointQueue<Row>, change: number) {
    const rows = (this.#rowsOfTeam.get(team) ?? 0) + change
    if (rows > 0) this.#rowsOfTeam.set(team, rows)
    else this.#rowsOfTeam.delete(team)
  }

  #open({ webhookId, team }: Row, hasMore: boolean): EndpointQueue<Row> {
    const queue: EndpointQueue<Row> = {
      team,
      waiting: [],
      inFlight: 0,
      window: INITIAL_WINDOW,
      asked: 0,
      hasMore,
      hasNewEvents: false,
      answerMs: 0,
      activeAt: performance.now(),
    }
    this.#queues.set(webhookId, queue)
    return queue
  }

  #beginNext(queue: EndpointQueue<Row>) {
    while (queue.inFlight < queue.window && queue.waiting.length > 0) {
      queue.inFlight++
      this.#begin(queue.waiting.shift()!)
    }
  }
}

function freeSlots(queue: EndpointQueue<unknown>): number {
  const { waiting, inFlight, window } = queue
  const windows = isFast(queue) ? FAST_WAITING_WINDOWS : WAITING_WINDOWS
  return Math.max(0, window + windows * Math.max(0, window - INITIAL_WINDOW) - inFlight - waiting.length)
}

const isFast = ({ window, answerMs, activeAt }: EndpointQueue<unknown>): boolean =>
  window >= INITIAL_WINDOW && answerMs < FAST_MS && performance.now() - activeAt < STALL_MS

/** A fan-out of one event costs as much as one of fifty. */
const isLow = ({ waiting, inFlight, window }: EndpointQueue<unknown>): boolean =>
  inFlight + waiting.length <= Math.max(window - INITIAL_WINDOW, INITIAL_WINDOW / 2)

function nextWorkOf(queue: EndpointQueue<unknown>): NextWork {
  const { waiting, inFlight, window, hasMore, hasNewEvents } = queue
  if (hasMore) return inFlight + waiting.length <= window ? 'deliveries' : null
  return hasNewEvents && isLow(queue) ? 'events' : null
}
