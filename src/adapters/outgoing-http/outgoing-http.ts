import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Agent } from 'undici'
import { loadOnce } from '../../platform/concurrency/load-once.ts'
import { checkUrl } from './check-url.ts'
import { type Answer, type ByteBudget, Exchange } from './exchange.ts'
import { type GuardedAgentOptions, guardedAgent, RefusedAddress } from './guarded-agent.ts'

export type { ByteBudget } from './exchange.ts'

export interface OutgoingRequest {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** For everything together: look-up, connection, redirects, the last byte of the body. */
  readonly timeoutMs: number
  readonly maxBytes: number
  /** What several requests that run at the same time may read together. */
  readonly budget?: ByteBudget
  /** `cut` keeps the first `maxBytes` and calls it answered: for who wants the status and no more than a look at the body. */
  readonly whenTooLarge?: 'fail' | 'cut'
  /** Set: it goes to this machine or nowhere, redirects included. */
  readonly isOnlyLoopback?: boolean
  /** How many redirects to follow. None, unless said. */
  readonly maxRedirects?: number
  /** Ends it early: `send` throws its reason. */
  readonly signal?: AbortSignal
}

/**
 * What came of it. `refused` is our own rules speaking, and trying again is of no use; `failed` is the network. Any status is
 * an answer.
 */
export type HttpOutcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly headers: IncomingHttpHeaders
      readonly body: Buffer
    }
  | {
      readonly kind: 'refused' | 'failed' | 'too_large' | 'timed_out'
      readonly reason: string
      /** Of what failed or timed out. Set: nothing of the request has left, so it was certainly not acted upon. */
      readonly isUnsent?: true
    }

/** Endpoints of webhooks are posted to again and again: their URLs are parsed once. */
const MAX_KNOWN_TARGETS = 1_000

/** Where a request goes, as a URL says it. */
interface Target {
  readonly url: URL
  readonly origin: string
  readonly path: string
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The only client for requests to addresses that users gave us. */
export class OutgoingHttp {
  readonly #agents: Agent[] = []
  readonly #targets = new Map<string, Target>()
  /** Made for the first request. */
  readonly #agent: () => Promise<Agent>
  /** Made for the first request that stays on this machine. */
  readonly #loopbackAgent: () => Promise<Agent>

  constructor(options: GuardedAgentOptions) {
    this.#agent = loadOnce(() => this.#makeAgent(options))
    this.#loopbackAgent = loadOnce(() => this.#makeAgent({ ...options, isOnlyLoopback: true }))
  }

  /** Never throws for what the other side does. */
  async send(wanted: OutgoingRequest): Promise<HttpOutcome> {
    const { signal } = wanted
    const agent = await (wanted.isOnlyLoopback ? this.#loopbackAgent() : this.#agent())
    signal?.throwIfAborted()
    const trip: Trip = { agent, exchange: null }
    const timer = setTimeout(() => trip.exchange?.stop(new TimedOut()), wanted.timeoutMs)
    const stop = signal && (() => trip.exchange?.stop(signal.reason))
    if (stop) signal.addEventListener('abort', stop)
    try {
      return await this.#follow(wanted, trip)
    } catch (error) {
      signal?.throwIfAborted()
      const sent = trip.exchange?.isBegun ? {} : UNSENT
      if (error instanceof TimedOut)
        return { kind: 'timed_out', reason: `no answer within ${wanted.timeoutMs} ms`, ...sent }
      if (error instanceof RefusedAddress) return { kind: 'refused', reason: error.message }
      return { kind: 'failed', reason: describe(error), ...sent }
    } finally {
      clearTimeout(timer)
      if (stop) signal.removeEventListener('abort', stop)
    }
  }

  /** Waits for what is under way, as long as the caller allows, and cuts off the rest. */
  async close(graceMs = 5_000) {
    const closed = Promise.all(this.#agents.map((agent) => agent.close()))
    await Promise.race([closed, wait(graceMs, undefined, { ref: false })])
    // Not awaited: it would wait for connections that are still being made, and those have a time limit of their own.
    for (const agent of this.#agents) void agent.destroy()
  }

  async #makeAgent(options: GuardedAgentOptions): Promise<Agent> {
    const agent = await guardedAgent(options)
    this.#agents.push(agent)
    return agent
  }

  async #follow(wanted: OutgoingRequest, trip: Trip): Promise<HttpOutcome> {
    // Who asks for a POST elsewhere would get its body too: only reading may be sent on.
    const maxRedirects = wanted.method === 'POST' ? 0 : (wanted.maxRedirects ?? 0)
    const first = this.#targets.get(wanted.url) ?? this.#check(wanted.url)
    let target = first
    for (let redirects = 0; ; redirects++) {
      if (typeof target === 'string') return { kind: 'refused', reason: target }
      const isSameOrigin = target === first || target.origin === (first as Target).origin
      trip.exchange = new Exchange(wanted)
      const answer = await trip.exchange.run(trip.agent, requestTo(target, wanted, isSameOrigin))
      const location = REDIRECTS.has(answer.status) && maxRedirects > 0 ? answer.headers.location : undefined
      if (typeof location !== 'string') return outcomeOf(answer, wanted)
      if (redirects === maxRedirects) return { kind: 'refused', reason: `more than ${maxRedirects} redirects` }
      target = targetOf(checkUrl(location, target.url))
    }
  }

  #check(url: string): Target | string {
    const target = targetOf(checkUrl(url))
    if (typeof target === 'string') return target
    if (this.#targets.size >= MAX_KNOWN_TARGETS) this.#targets.clear()
    this.#targets.set(url, target)
    return target
  }
}

/** Where a request has got to: the redirects before it are behind it. */
interface Trip {
  readonly agent: Agent
  exchange: Exchange | null
}

class TimedOut extends Error {}

const UNSENT = { isUnsent: true } as const

const targetOf = (url: URL | string): Target | string =>
  typeof url === 'string' ? url : { url, origin: url.origin, path: `${url.pathname}${url.search}` }

const requestTo = ({ origin, path }: Target, { method, headers, body }: OutgoingRequest, isSameOrigin: boolean) => ({
  origin,
  path,
  method,
  headers: isSameOrigin ? withUserAgent(headers) : USER_AGENT,
  body: body ?? null,
})

const USER_AGENT = { 'user-agent': 'Postwren' }

const withUserAgent = (headers: OutgoingRequest['headers']) =>
  headers?.['user-agent'] === undefined ? { ...USER_AGENT, ...headers } : headers

function outcomeOf({ status, headers, body, isCut }: Answer, wanted: OutgoingRequest): HttpOutcome {
  if (isCut && wanted.whenTooLarge !== 'cut')
    return { kind: 'too_large', reason: `the answer is larger than ${wanted.maxBytes} bytes` }
  return { kind: 'answered', status, headers, body }
}

/** Connecting to several addresses fails with an error that has no text of its own, only a code and the errors within. */
function describe(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string }
  return message || code || 'the connection failed'
}
