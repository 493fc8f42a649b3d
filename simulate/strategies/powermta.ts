import { TokenBucket } from '../sites/token-bucket.ts'
import { isBounced, isTaken, replyLine } from './outcome.ts'
import type { Answer, Pacer, Route, Strategy } from './pacer.ts'
import {
  BACKOFF_PATTERNS,
  BACKOFF_RETRY_MINUTES,
  DEFAULT_BLOCK,
  DOMAIN_BLOCKS,
  type DomainBlock,
  NORMAL_AFTER_MINUTES,
} from './powermta-rules.ts'

const MINUTE_MS = 60_000
/** What `unlimited` comes to: more than two connections can carry. */
const UNLIMITED_PER_MINUTE = 60_000

/** The queue of one domain and one source (a virtual MTA). */
class Queue {
  readonly #block: DomainBlock
  readonly #bucket: TokenBucket
  #backoffUntilMs = Number.NEGATIVE_INFINITY
  #waitsUntilMs = Number.NEGATIVE_INFINITY

  constructor(block: DomainBlock, nowMs: number) {
    this.#block = block
    this.#bucket = new TokenBucket(1, nowMs)
  }

  get block(): DomainBlock {
    return this.#block
  }

  waitMs(nowMs: number): number {
    if (this.#waitsUntilMs > nowMs) return this.#waitsUntilMs - nowMs
    const { perMinute = UNLIMITED_PER_MINUTE, backoffPerMinute } = this.#block
    const perMs = (this.#isBackingOff(nowMs) ? backoffPerMinute : perMinute) / MINUTE_MS
    this.#bucket.fill(nowMs, perMs, Math.max(1, perMs * 1_000))
    const waitMs = this.#bucket.waitMs(perMs)
    if (waitMs === 0) this.#bucket.take()
    return waitMs
  }

  taken() {
    this.#backoffUntilMs = Number.NEGATIVE_INFINITY
  }

  /** How long the message waits. */
  deferred(answer: Answer, nowMs: number): number {
    const line = replyLine(answer)
    if (BACKOFF_PATTERNS.some((pattern) => pattern.test(line)))
      this.#backoffUntilMs = nowMs + NORMAL_AFTER_MINUTES * MINUTE_MS
    const { retryMinutes, waitsAfter421 } = this.#block
    const retryMs = (this.#isBackingOff(nowMs) ? BACKOFF_RETRY_MINUTES : retryMinutes) * MINUTE_MS
    if (answer.code === 421 && waitsAfter421) this.#waitsUntilMs = nowMs + retryMs
    return retryMs
  }

  #isBackingOff(nowMs: number): boolean {
    return this.#backoffUntilMs > nowMs
  }
}

class PowerPacer implements Pacer {
  readonly #queues = new Map<string, Queue>()
  readonly #byRoute = new Map<Route, Queue>()

  concurrency(route: Route, nowMs: number) {
    return this.#queueOf(route, nowMs).block
  }

  waitMs(route: Route, nowMs: number): number {
    return this.#queueOf(route, nowMs).waitMs(nowMs)
  }

  answered(route: Route, answer: Answer, nowMs: number): number | null {
    const queue = this.#queueOf(route, nowMs)
    if (isTaken(answer)) queue.taken()
    if (isTaken(answer)) return null
    const retryMs = queue.deferred(answer, nowMs)
    return isBounced(answer) ? null : retryMs
  }

  #queueOf(route: Route, nowMs: number): Queue {
    const known = this.#byRoute.get(route)
    if (known) return known
    const { domain, identity } = route
    const key = `${domain} ${identity.source}`
    const block = DOMAIN_BLOCKS[domain.split('.')[0]!] ?? DEFAULT_BLOCK
    const queue = this.#queues.get(key) ?? new Queue(block, nowMs)
    this.#queues.set(key, queue)
    this.#byRoute.set(route, queue)
    return queue
  }
}

export const powermta: Strategy = {
  name: 'powermta',
  about: 'Sample domain blocks of PowerMTA with back-off mode.',
  create: () => new PowerPacer(),
}
