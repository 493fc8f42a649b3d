import type { Limit, SitePolicy } from './site-policy.ts'
import { TokenBucket } from './token-bucket.ts'

export const DAY_MS = 86_400_000
const PENALTY_MS = 3_600_000
/** A sender that was not seen for so long is a new one. */
const FORGET_DAYS = 30
/** Deferrals, as a part of what was brought in a day: up to the first it was a good day, beyond the second a bad one. */
const GOOD_SHARE = 0.05
const BAD_SHARE = 0.2

export type ReputationVerdict = 'welcome' | 'throttled' | 'escalated' | 'newly_blocked' | 'blocked'

/**
 * What a site thinks of one identity: its token bucket, how warm it is, and whether it is blocked. Who goes on after being deferred is
 * escalated, which halves the limit for an hour; who is escalated too often within a day is blocked, and so is a stranger with much mail.
 */
export class SenderReputation {
  readonly #temper: SitePolicy
  readonly #limit: Limit | null
  readonly #bucket: TokenBucket | null
  readonly #isWarming: boolean
  #share: number
  #day: number
  #taken = 0
  #deferred = 0
  #isBadDay = false
  #windowMs = Number.NEGATIVE_INFINITY
  #windowDeferrals = 0
  #escalationsMs: number[] = []
  #blockedUntilMs = Number.NEGATIVE_INFINITY
  #warmSinceDay: number | null = null

  constructor(temper: SitePolicy, by: Limit['by'], nowMs: number) {
    this.#temper = temper
    this.#limit = temper.limits?.find((limit) => limit.by === by) ?? null
    this.#isWarming = temper.warm_up?.by === by
    this.#share = this.#isWarming ? temper.warm_up!.share : 1
    this.#day = dayOf(nowMs)
    this.#bucket = this.#limit && new TokenBucket(this.#capacity, nowMs)
    this.#noteWarmth()
  }

  get isWarming(): boolean {
    return this.#isWarming
  }

  /** The day on which it had the whole limit for the first time. */
  get warmSinceDay(): number | null {
    return this.#warmSinceDay
  }

  isBlocked(nowMs: number): boolean {
    return this.#blockedUntilMs > nowMs
  }

  /** Whether one more message is welcome. Says no to a message, it remembers it. */
  ask(nowMs: number): ReputationVerdict {
    this.#turnDay(nowMs)
    if (this.isBlocked(nowMs)) return 'blocked'
    if (this.#taken >= this.#mostOfToday) return this.#block(nowMs)
    if (!this.#bucket) return 'welcome'
    this.#bucket.fill(nowMs, this.#ratePerMs(nowMs), this.#capacity)
    if (this.#bucket.hasToken) return 'welcome'
    this.#deferred++
    return this.#escalate(nowMs)
  }

  /** The message was taken. */
  take() {
    this.#taken++
    this.#bucket?.take()
  }

  #escalate(nowMs: number): ReputationVerdict {
    const { escalation } = this.#temper
    if (!escalation) return 'throttled'
    if (nowMs - this.#windowMs > escalation.within_seconds * 1_000) {
      this.#windowMs = nowMs
      this.#windowDeferrals = 0
    }
    const isGrace = nowMs - this.#windowMs < escalation.grace_seconds * 1_000
    if (isGrace || ++this.#windowDeferrals <= escalation.deferrals) return 'throttled'
    this.#windowMs = nowMs
    this.#windowDeferrals = 0
    this.#isBadDay = true
    this.#escalationsMs = [...this.#escalationsMs.filter((atMs) => nowMs - atMs < DAY_MS), nowMs]
    return this.#escalationsMs.length < escalation.blocks_after ? 'escalated' : this.#block(nowMs)
  }

  #block(nowMs: number): ReputationVerdict {
    const { block_seconds } = this.#temper.escalation ?? {}
    this.#isBadDay = true
    this.#blockedUntilMs = nowMs + (block_seconds === undefined ? DAY_MS : block_seconds * 1_000)
    this.#escalationsMs = []
    return 'newly_blocked'
  }

  /** Of a stranger. */
  get #mostOfToday(): number {
    const { share, blocks_beyond = Number.POSITIVE_INFINITY } = this.#temper.warm_up ?? { share: 1 }
    return this.#isWarming && this.#share < 1 ? (blocks_beyond * this.#share) / share : Number.POSITIVE_INFINITY
  }

  #turnDay(nowMs: number) {
    const day = dayOf(nowMs)
    if (day === this.#day) return
    const { warm_up } = this.#temper
    if (this.#isWarming && warm_up) {
      const seen = this.#taken + this.#deferred
      const deferredShare = seen === 0 ? 0 : this.#deferred / seen
      if (this.#isBadDay || deferredShare > BAD_SHARE)
        this.#share = Math.max(warm_up.share, this.#share / warm_up.growth ** 2)
      else if (this.#taken > 0 && deferredShare <= GOOD_SHARE) this.#share = Math.min(1, this.#share * warm_up.growth)
      if (day - this.#day > FORGET_DAYS) this.#share = warm_up.share
    }
    this.#day = day
    this.#taken = 0
    this.#deferred = 0
    this.#isBadDay = false
    this.#noteWarmth()
  }

  #noteWarmth() {
    if (this.#share >= 1) this.#warmSinceDay ??= this.#day
  }

  #ratePerMs(nowMs: number): number {
    const penalties = this.#escalationsMs.filter((atMs) => nowMs - atMs < PENALTY_MS).length
    return (this.#limit!.per_minute * this.#share * 0.5 ** penalties) / 60_000
  }

  get #capacity(): number {
    return Math.max(1, this.#limit!.burst * this.#share)
  }
}

export const dayOf = (nowMs: number) => Math.floor(nowMs / DAY_MS)
