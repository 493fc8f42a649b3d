import { IDENTITY_KINDS, type IdentityKind } from '../sites/site-policy.ts'
import { TokenBucket } from '../sites/token-bucket.ts'
import { doubling, isBounced, isTaken } from './outcome.ts'
import type { Answer, Pacer, Route, Strategy } from './pacer.ts'

const MINUTE_MS = 60_000
const FIRST_PER_MINUTE = 10
const MIN_PER_MINUTE = 1
const MAX_PER_MINUTE = 6_000
/** As long as nobody has complained: a pace that was used doubles each minute. */
const DOUBLE_EVERY_MS = MINUTE_MS
/** Back to just below where it was throttled within so long, and from there on by this part of it each minute. */
const RECOVER_MS = 2 * MINUTE_MS
const SAFE_SHARE = 0.95
const PROBE_SHARE = 0.01
/** Beyond this the limit has moved, and the steps are larger. */
const MOVED_SHARE = 1.1
const FAST_PROBE_SHARE = 0.08
/** Nothing is sent right after a complaint. */
const PAUSE_MS = 15_000
const BLOCKED_PAUSE_MS = 6 * 60 * MINUTE_MS

/** The pace for one identity at one site. */
class Pace {
  readonly #bucket: TokenBucket
  #perMinute = FIRST_PER_MINUTE
  #knownPerMinute: number | null = null
  #changedMs: number
  #sentSince = 0
  #pausedUntilMs = Number.NEGATIVE_INFINITY
  #complainedMs = Number.NEGATIVE_INFINITY

  constructor(nowMs: number) {
    this.#bucket = new TokenBucket(1, nowMs)
    this.#changedMs = nowMs
  }

  waitMs(nowMs: number): number {
    if (this.#pausedUntilMs > nowMs) return this.#pausedUntilMs - nowMs
    const perMs = this.#perMinute / MINUTE_MS
    this.#bucket.fill(nowMs, perMs, Math.max(1, this.#perMinute / 30))
    return this.#bucket.waitMs(perMs)
  }

  spend() {
    this.#bucket.take()
  }

  taken(nowMs: number) {
    this.#sentSince++
    const passedMs = nowMs - this.#changedMs
    const known = this.#knownPerMinute
    const stepMs = known === null ? DOUBLE_EVERY_MS : RECOVER_MS / 4
    if (passedMs < stepMs) return
    // A pace that was not used says nothing about a faster one.
    const isUsed = this.#sentSince * MINUTE_MS >= 0.5 * this.#perMinute * passedMs
    this.#sentSince = 0
    this.#changedMs = nowMs
    if (!isUsed) return
    if (known === null) this.#perMinute *= 2
    else if (this.#perMinute < known * SAFE_SHARE)
      this.#perMinute = Math.min(known * SAFE_SHARE, this.#perMinute + known / 8)
    else {
      const hasMoved = this.#perMinute > known * MOVED_SHARE
      this.#perMinute += this.#perMinute * (hasMoved ? FAST_PROBE_SHARE : PROBE_SHARE) * (stepMs / MINUTE_MS)
    }
    this.#perMinute = Math.min(this.#perMinute, MAX_PER_MINUTE)
  }

  /** What was under way when the first complaint came hears the same: that is one complaint. */
  complained(startedMs: number, nowMs: number) {
    if (startedMs <= this.#complainedMs) return
    this.#complainedMs = nowMs
    this.#knownPerMinute = this.#perMinute
    this.#perMinute = Math.max(MIN_PER_MINUTE, this.#perMinute / 2)
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + PAUSE_MS)
    this.#changedMs = nowMs
    this.#sentSince = 0
  }

  pause(untilMs: number) {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs)
  }
}

/** Additive growth, halved by a complaint: simple, and not the product's. It shows that the world can be sent to. */
class ReferencePacer implements Pacer {
  readonly #paces = new Map<string, Pace>()
  readonly #named = new Map<Route, readonly Pace[]>()

  concurrency() {
    return { connections: 2, messagesPerConnection: 10 }
  }

  waitMs(route: Route, nowMs: number): number {
    const paces = this.#pacesOf(route, nowMs)
    const waitMs = Math.max(...paces.map((pace) => pace.waitMs(nowMs)))
    if (waitMs === 0) for (const pace of paces) pace.spend()
    return waitMs
  }

  answered(route: Route, answer: Answer, nowMs: number): number | null {
    const paces = this.#pacesOf(route, nowMs)
    if (isTaken(answer)) {
      for (const pace of paces) pace.taken(nowMs)
      return null
    }
    if (answer.phase === 'rcpt') return isBounced(answer) ? null : doubling(2, answer.attempts)
    if (answer.code === 0) return doubling(5, answer.attempts)
    const pace = this.#paceOf(route, kindNamedBy(answer, route), nowMs)
    if (isBounced(answer)) pace.pause(nowMs + BLOCKED_PAUSE_MS)
    pace.complained(answer.startedMs, nowMs)
    return 0
  }

  /** That of the source always; those of others once a reply has named them. */
  #pacesOf(route: Route, nowMs: number): readonly Pace[] {
    const known = this.#named.get(route)
    if (known) return known
    const kinds = IDENTITY_KINDS.filter((kind) => kind === 'source' || this.#paces.has(keyOf(route, kind)))
    const paces = kinds.map((kind) => this.#paceOf(route, kind, nowMs))
    this.#named.set(route, paces)
    return paces
  }

  #paceOf(route: Route, kind: IdentityKind, nowMs: number): Pace {
    const key = keyOf(route, kind)
    const known = this.#paces.get(key)
    if (known) return known
    const pace = new Pace(nowMs)
    this.#paces.set(key, pace)
    this.#named.clear()
    return pace
  }
}

const keyOf = ({ site, identity }: Route, kind: IdentityKind) => `${site} ${kind} ${identity[kind]}`

/** The longest name counts: `send.tenant1.test` contains `tenant1`. */
function kindNamedBy({ text }: Answer, { identity }: Route): IdentityKind {
  const named = IDENTITY_KINDS.filter((kind) => text.includes(identity[kind]))
  return named.toSorted((a, b) => identity[b].length - identity[a].length)[0] ?? 'source'
}

export const reference: Strategy = {
  name: 'reference',
  about: 'A simple controller of the simulation itself: grows while mail is taken, halved by each complaint.',
  create: () => new ReferencePacer(),
}
