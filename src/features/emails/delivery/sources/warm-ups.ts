import type { Database } from '../../../../kernel/db/database.ts'
import type { Outcome, Untried } from '../../../../mail/outcome.ts'
import type { MaybePromise } from '../../../../platform/concurrency/maybe-promise.ts'
import { levelOf } from '../../../../platform/database-errors.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import { allowanceAt, allowanceOf, dayOf, isFarAhead, startOfDay, type WarmUp, type WarmUpEvent } from './warm-up.ts'
import { type WarmUpSignal, warmUpSignalOf } from './warm-up-signal.ts'
import {
  type GrantedWarmUp,
  keyText,
  tellWarmUps,
  WARM_UPS_CHANNEL,
  type WarmUpKey,
  type WarmUpNews,
} from './warm-up-store.ts'

/** What a node gets at a time: a twentieth of the day. So a day costs some twenty statements for each warm-up, however much is sent. */
const LEASES_PER_DAY = 20
const MIN_LEASE = 5
/** What nobody here needs for so long is given back, and what was heard is told. */
const FLUSH_EVERY_MS = 10_000
/** How long it is believed that nothing is left: another node may give something back. */
const EXHAUSTED_TTL_MS = 10_000
const MAX_KEPT = 20_000
/** Mail that waits for a day comes back in its first hour, as much of it as the day has. */
const SPREAD_SECONDS = 3_600

/** One message that may be sent. */
export interface SendPermit {
  /** What was answered. */
  heard(outcomes: readonly (Outcome | Untried)[]): void
  /** It is not sent after all. */
  cancel(): void
}

/** A day's allowance is used up. */
export interface AllowanceExhausted {
  readonly key: WarmUpKey
  readonly step: number
  /** When the next day has room for it. */
  readonly until: Date
}

/** One as this node has it. */
interface NodeWarmUp {
  readonly key: WarmUpKey
  /** The day that all of this is of. */
  day: number
  /** As it was last heard of; null: not on this day. */
  state: WarmUp | null
  /** Which this node may send. */
  tokens: number
  usedUpMs: number
  /** Told by nobody yet. */
  taken: number
  deferred: number
  isBlocked: boolean
  /** Those that wait for the answer to the same question. */
  wanted: number
  asking: Promise<void> | null
  usedMs: number
  /** How many were sent away on this day. */
  sentAway: number
}

/**
 * Counts what providers get from senders that they do not know yet, for all nodes together: each takes a part of the day's allowance at a
 * time, so that no mail costs a statement and no allowance is exceeded. What a node has not used when it dies is lost for that day.
 */
export class WarmUps {
  readonly #db: Database
  readonly #log: Log
  readonly #locals = new Map<string, NodeWarmUp>()
  #toldMs = performance.now()
  #isTelling = false

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
  }

  /** Follows what operators change and tells what was heard, until the function that it gives is called. */
  follow(): () => void {
    const tell = () => {
      if (this.#locals.size > 0 && performance.now() - this.#toldMs >= FLUSH_EVERY_MS) void this.tell()
    }
    this.#db.presence.on('renewed', tell)
    const ignore = this.#db.signals.watch(WARM_UPS_CHANNEL, () => this.#askAgain())
    return () => {
      this.#db.presence.off('renewed', tell)
      ignore()
    }
  }

  /** One message of this sender to this provider, today. */
  take(key: WarmUpKey): MaybePromise<SendPermit | AllowanceExhausted> {
    const local = this.#localOf(key)
    local.usedMs = performance.now()
    return this.#taken(local) ?? this.#takeLater(local)
  }

  /** Null: somebody else may send one today. */
  usedUpElsewhere(key: WarmUpKey): MaybePromise<AllowanceExhausted | null> {
    const local = this.#localOf(key)
    if (local.tokens > 0 || local.state?.isFinished) return null
    if (this.#isUsedUp(local)) return this.#usedUp(local)
    return this.#ask(local, 0).then(() => {
      const allowance = allowanceOf(local.state!)
      if (allowance === null || local.state!.leased < allowance) return null
      local.usedUpMs = performance.now()
      return this.#usedUp(local)
    })
  }

  /** Tells what was heard, and gives back what is not needed: of those that were idle, or of all. */
  async tell({ isEnd = false } = {}) {
    if (this.#isTelling) return
    this.#isTelling = true
    this.#toldMs = performance.now()
    try {
      const idle = (local: NodeWarmUp) => isEnd || performance.now() - local.usedMs > FLUSH_EVERY_MS
      const news = [...this.#locals.values()].flatMap((local) => this.#newsOf(local, idle(local)) ?? [])
      if (news.length > 0) await this.#teach(news)
      if (this.#locals.size > MAX_KEPT) this.#forget()
    } catch (error) {
      this.#log[levelOf(error, 'error')]({ error }, 'delivery: saving warm-up counts failed')
    } finally {
      this.#isTelling = false
    }
  }

  #taken(local: NodeWarmUp): SendPermit | AllowanceExhausted | null {
    if (local.state?.isFinished) return FREE
    if (local.tokens > 0) {
      local.tokens--
      return this.#ticket(local)
    }
    return this.#isUsedUp(local) ? this.#usedUp(local) : null
  }

  async #takeLater(local: NodeWarmUp): Promise<SendPermit | AllowanceExhausted> {
    for (;;) {
      await this.#ask(local, 1)
      const taken = this.#taken(local)
      if (taken) return taken
    }
  }

  /** Those who ask at the same time ask once. */
  #ask(local: NodeWarmUp, wanted: number): Promise<void> {
    local.wanted += wanted
    local.asking ??= Promise.resolve()
      .then(() => this.#lease(local))
      .finally(() => {
        local.asking = null
      })
    return local.asking
  }

  async #lease(local: NodeWarmUp) {
    const asked = local.wanted
    local.wanted = 0
    const allowance = allowanceAt(local.state?.step ?? 0)
    const wanted = asked === 0 ? 0 : Math.max(asked, MIN_LEASE, Math.ceil(allowance / LEASES_PER_DAY))
    const heard = this.#newsOf(local, false)?.events ?? []
    const [told] = await this.#teach([{ ...local.key, events: [...heard, { kind: 'leased', wanted }] }])
    if (!told || told.state.day !== local.day) return
    local.tokens += told.granted
    if (wanted > 0 && told.granted === 0) local.usedUpMs = performance.now()
  }

  async #teach(news: readonly WarmUpNews[]): Promise<GrantedWarmUp[]> {
    const told = await tellWarmUps(this.#db, news)
    for (const { state, ...key } of told) {
      const local = this.#locals.get(keyText(key))
      // A node whose clock is ahead has begun the next day for all: this one has it, too.
      if (local && state.day > local.day) this.#begin(local, state.day)
      if (local && state.day === local.day) local.state = state
    }
    return told
  }

  #newsOf(local: NodeWarmUp, givesBack: boolean): WarmUpNews | null {
    const { key, day, taken, deferred, isBlocked } = local
    const returned = givesBack ? local.tokens : 0
    if (taken + deferred + returned === 0 && !isBlocked) return null
    local.taken = 0
    local.deferred = 0
    local.isBlocked = false
    local.tokens -= returned
    const heard: WarmUpEvent = { kind: 'heard', day, taken, deferred, returned }
    return { ...key, events: isBlocked ? [heard, { kind: 'blocked', day }] : [heard] }
  }

  #ticket(local: NodeWarmUp): SendPermit {
    const { day } = local
    let isOpen = true
    const end = (then: () => void) => {
      if (isOpen && local.day === day) then()
      isOpen = false
    }
    const cancel = () => end(() => local.tokens++)
    return {
      cancel,
      heard: (outcomes) => {
        const heard = outcomes[0] && warmUpSignalOf(outcomes[0], local.key)
        if (!heard) return cancel()
        end(() => this.#heard(local, heard))
      },
    }
  }

  #heard(local: NodeWarmUp, { counts, isBlock }: WarmUpSignal) {
    if (counts) local[counts]++
    if (!isBlock) return
    local.isBlocked = true
    // The others are not to go on as before.
    local.tokens = 0
    local.usedUpMs = performance.now()
    void this.tell().then(() => this.#db.signals.announce(WARM_UPS_CHANNEL))
  }

  #isUsedUp({ state, usedUpMs }: NodeWarmUp): boolean {
    return state !== null && performance.now() - usedUpMs < EXHAUSTED_TTL_MS
  }

  /** Each of those who wait has a turn, as the coming days have room: a thousand that all come at midnight come for nothing. */
  #usedUp(local: NodeWarmUp): AllowanceExhausted {
    const { step } = local.state!
    const allowance = allowanceAt(step)
    const turn = local.sentAway++
    const days = 1 + Math.floor(turn / allowance)
    const seconds = ((turn % allowance) / allowance) * SPREAD_SECONDS
    const until = new Date(startOfDay(local.day + days).getTime() + Math.floor(seconds) * 1_000)
    return { key: local.key, step, until }
  }

  #localOf(key: WarmUpKey): NodeWarmUp {
    const text = keyText(key)
    const today = dayOf(this.#db.clock.now())
    const known = this.#locals.get(text)
    if (known) {
      if (today > known.day || isFarAhead(known.day, today)) this.#begin(known, today)
      return known
    }
    const empty = { taken: 0, deferred: 0, isBlocked: false, wanted: 0, asking: null, sentAway: 0 }
    const { kind, identity, provider } = key
    const times = { usedUpMs: Number.NEGATIVE_INFINITY, usedMs: performance.now() }
    const local: NodeWarmUp = {
      key: { kind, identity, provider },
      day: today,
      state: null,
      tokens: 0,
      ...times,
      ...empty,
    }
    this.#locals.set(text, local)
    return local
  }

  /** What was left of the day before is nobody's. */
  #begin(local: NodeWarmUp, day: number) {
    const none = { state: null, tokens: 0, taken: 0, deferred: 0, isBlocked: false, sentAway: 0 }
    Object.assign(local, none, { day, usedUpMs: Number.NEGATIVE_INFINITY })
  }

  /** Somebody has changed one, or one was blocked: what this node may send is asked for again. */
  #askAgain() {
    for (const local of this.#locals.values()) {
      local.state = null
      local.usedUpMs = Number.NEGATIVE_INFINITY
    }
    void this.tell({ isEnd: true })
  }

  #forget() {
    for (const [text, { tokens, asking }] of this.#locals) if (tokens === 0 && !asking) this.#locals.delete(text)
  }
}

const FREE: SendPermit = { heard: () => {}, cancel: () => {} }
