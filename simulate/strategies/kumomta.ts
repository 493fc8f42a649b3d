import { TokenBucket } from '../sites/token-bucket.ts'
import { type Automation, SHAPING_RULES, type ShapingRule } from './kumomta-rules.ts'
import { doubling, isBounced, isTaken, replyLine } from './outcome.ts'
import type { Answer, Pacer, Route, Strategy } from './pacer.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Its default for messages that were deferred. */
const RETRY_MINUTES = 20

interface Values {
  readonly connections: number
  readonly messagesPerConnection: number
  readonly perMinute: number
}

/** What holds for one source at one site. */
class Path {
  readonly #base: Values
  readonly #automation: readonly Automation[]
  readonly #bucket: TokenBucket
  readonly #seenMs = new Map<Automation, number[]>()
  #overrides: { readonly values: Partial<Values>; readonly untilMs: number }[] = []
  #suspendedUntilMs = Number.NEGATIVE_INFINITY

  constructor(rules: readonly ShapingRule[], nowMs: number) {
    const [everything, ...others] = rules
    this.#base = Object.assign({}, everything, ...others) as Values
    this.#automation = rules.flatMap(({ automation = [] }) => automation)
    this.#bucket = new TokenBucket(1, nowMs)
  }

  valuesAt(nowMs: number): Values {
    if (this.#overrides.length === 0) return this.#base
    this.#overrides = this.#overrides.filter(({ untilMs }) => untilMs > nowMs)
    return Object.assign({}, this.#base, ...this.#overrides.map(({ values }) => values))
  }

  waitMs(nowMs: number): number {
    if (this.#suspendedUntilMs > nowMs) return this.#suspendedUntilMs - nowMs
    const { perMinute } = this.valuesAt(nowMs)
    this.#bucket.fill(nowMs, perMinute / MINUTE_MS, Math.max(1, perMinute / 60))
    const waitMs = this.#bucket.waitMs(perMinute / MINUTE_MS)
    // It may be faster again before that.
    if (waitMs > 0) return Math.min(waitMs, MINUTE_MS)
    this.#bucket.take()
    return 0
  }

  heard(line: string, nowMs: number) {
    for (const automation of this.#automation) {
      if (!automation.pattern.test(line)) continue
      const seenMs = [...(this.#seenMs.get(automation) ?? []).filter((atMs) => nowMs - atMs < HOUR_MS), nowMs]
      const isTriggered = seenMs.length >= automation.perHour
      this.#seenMs.set(automation, isTriggered ? [] : seenMs)
      if (isTriggered) this.#act(automation, nowMs + automation.minutes * MINUTE_MS)
    }
  }

  #act({ action }: Automation, untilMs: number) {
    if (action === 'suspend') this.#suspendedUntilMs = Math.max(this.#suspendedUntilMs, untilMs)
    else this.#overrides.push({ values: action, untilMs })
  }
}

class KumoPacer implements Pacer {
  readonly #paths = new Map<string, Path>()
  readonly #byRoute = new Map<Route, Path>()

  concurrency(route: Route, nowMs: number) {
    return this.#pathOf(route, nowMs).valuesAt(nowMs)
  }

  waitMs(route: Route, nowMs: number): number {
    return this.#pathOf(route, nowMs).waitMs(nowMs)
  }

  answered(route: Route, answer: Answer, nowMs: number): number | null {
    if (isTaken(answer)) return null
    this.#pathOf(route, nowMs).heard(replyLine(answer), nowMs)
    return isBounced(answer) ? null : doubling(RETRY_MINUTES, answer.attempts)
  }

  #pathOf(route: Route, nowMs: number): Path {
    const known = this.#byRoute.get(route)
    if (known) return known
    const key = `${route.site} ${route.identity.source}`
    const path = this.#paths.get(key) ?? this.#newPath(route, nowMs)
    this.#paths.set(key, path)
    this.#byRoute.set(route, path)
    return path
  }

  #newPath(route: Route, nowMs: number): Path {
    const isAbout = ({ mxSuffixes }: ShapingRule) =>
      mxSuffixes === null || route.hosts.every((host) => mxSuffixes.some((suffix) => host.endsWith(suffix)))
    return new Path(SHAPING_RULES.filter(isAbout), nowMs)
  }
}

export const kumomta: Strategy = {
  name: 'kumomta',
  about: 'The shaping rules that KumoMTA ships, with those of its community and their automation.',
  create: () => new KumoPacer(),
}
