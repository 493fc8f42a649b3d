import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Agent, Dispatcher } from 'undici'
import { loadOnce } from '../../platform/concurrency/load-once.ts'
import { checkUrl } from './check-url.ts'
import { type GuardedAgentOptions, guardedAgent, RefusedAddress } from './guarded-agent.ts'

/** Bytes that are left; what arrives is taken from them at once. */
export interface ByteBudget {
  bytes: number
}

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
  | { readonly kind: 'refused' | 'failed' | 'too_large' | 'timed_out'; readonly reason: string }

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The only client for requests to addresses that users gave us. */
export class OutgoingHttp {
  readonly #agents: Agent[] = []
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
    signal?.throwIfAborted()
    // undici takes an emitter for a signal. Signals of the platform cost 60 µs for each request, and their timers run on after it.
    const deadline = new EventEmitter()
    let timer: NodeJS.Timeout | undefined
    let stop = () => {}
    // undici looks at the signal once it has a connection, and getting one can take longer than we have.
    const expired = new Promise<HttpOutcome>((resolve, reject) => {
      timer = setTimeout(() => {
        resolve({ kind: 'timed_out', reason: `no answer within ${wanted.timeoutMs} ms` })
        deadline.emit('abort')
      }, wanted.timeoutMs)
      stop = () => {
        reject(signal!.reason)
        deadline.emit('abort')
      }
    })
    signal?.addEventListener('abort', stop)
    try {
      return await Promise.race([expired, this.#follow(wanted, deadline)])
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof RefusedAddress) return { kind: 'refused', reason: error.message }
      return { kind: 'failed', reason: describe(error) }
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
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

  async #follow(wanted: OutgoingRequest, deadline: EventEmitter): Promise<HttpOutcome> {
    // Who asks for a POST elsewhere would get its body too: only reading may be sent on.
    const maxRedirects = wanted.method === 'POST' ? 0 : (wanted.maxRedirects ?? 0)
    const first = checkUrl(wanted.url)
    let url = first
    for (let redirects = 0; ; redirects++) {
      if (typeof url === 'string') return { kind: 'refused', reason: url }
      const isSameOrigin = url === first || url.origin === (first as URL).origin
      const answer = await this.#request(url, isSameOrigin ? wanted : { ...wanted, headers: {} }, deadline)
      const location = REDIRECTS.has(answer.statusCode) && maxRedirects > 0 ? answer.headers.location : undefined
      if (typeof location !== 'string') return read(answer, wanted)
      await answer.body.dump()
      if (redirects === maxRedirects) return { kind: 'refused', reason: `more than ${maxRedirects} redirects` }
      url = checkUrl(location, url)
    }
  }

  /** The agent's own method: the function of the same name takes every URL apart again. */
  async #request(url: URL, wanted: OutgoingRequest, deadline: EventEmitter) {
    const agent = await (wanted.isOnlyLoopback ? this.#loopbackAgent() : this.#agent())
    return agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: wanted.method,
      signal: deadline,
      headers: { 'user-agent': 'Postwren', ...wanted.headers },
      ...(wanted.body !== undefined && { body: wanted.body }),
    })
  }
}

async function read(answer: Dispatcher.ResponseData, wanted: OutgoingRequest): Promise<HttpOutcome> {
  const body = await readUpTo(answer.body, wanted)
  if (body.isCut && wanted.whenTooLarge !== 'cut')
    return { kind: 'too_large', reason: `the answer is larger than ${wanted.maxBytes} bytes` }
  return { kind: 'answered', status: answer.statusCode, headers: answer.headers, body: body.bytes }
}

function readUpTo(
  body: Readable,
  { maxBytes, budget = { bytes: Number.POSITIVE_INFINITY } }: Pick<OutgoingRequest, 'maxBytes' | 'budget'>,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    body.on('error', reject)
    body.on('end', () => resolve({ bytes: Buffer.concat(chunks), isCut: false }))
    body.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      budget.bytes -= chunk.length
      if (size <= maxBytes && budget.bytes >= 0) return
      resolve({ bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: true })
      // And with it the connection: nobody reads on.
      body.destroy()
    })
  })
}

/** Connecting to several addresses fails with an error that has no text of its own, only a code and the errors within. */
function describe(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string }
  return message || code || 'the connection failed'
}
