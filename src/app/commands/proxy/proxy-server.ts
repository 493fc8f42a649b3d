import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Clock } from '../../../platform/clock.ts'
import { MemoryBudget } from './capture.ts'
import { COMPARED_ANSWER_HEADERS, type Exchange, MIRRORED_REQUEST_HEADERS, type Reason } from './exchange.ts'
import { type Forwarded, forward } from './forward.ts'
import { pick } from './hop-by-hop.ts'
import { hashKey } from './key-hash.ts'
import { Overlap } from './overlap.ts'
import type { MirrorQueue } from './queue.ts'
import type { Upstream } from './upstream.ts'

/** Where our own pages are. The contract has nothing there. */
export const OWN_PATH = '/_proxy'

/** What all captured calls may hold together: three of the largest emails. */
const MAX_CAPTURED_BYTES = 192 * 1024 * 1024

/** Each becomes a team on our side. */
const MAX_KEYS = 100

export interface ProxyParts {
  readonly upstream: Upstream
  readonly queue: MirrorQueue
  readonly clock: Pick<Clock, 'now'>
  /** What keys are hashed with; null while our side is not there. */
  keyHashSecret(): Uint8Array | null
  /** All keys are of one account. */
  readonly isOneTeam: boolean
  onUncompared(call: { method: string; path: string; reason: Reason }): void
  /** Answers what is under `OWN_PATH`. */
  answerOwn(request: IncomingMessage, response: ServerResponse): void
  /** Called with each call that the upstream has answered, after the client has the answer. */
  onAnswered?(forwarded: Forwarded): void
}

/** Answers each call from the upstream, and leaves a copy of it for our side. */
export class ProxyServer {
  readonly server: Server
  readonly #parts: ProxyParts
  readonly #budget = new MemoryBudget(MAX_CAPTURED_BYTES)
  readonly #overlap = new Overlap()
  readonly #keys = new Set<string>()
  /** Keys that were made with another one, by their hashes: calls of both are one sequence. */
  readonly #makers = new Map<string, string>()
  #number = 0

  constructor(parts: ProxyParts) {
    this.#parts = parts
    this.server = createServer(
      { maxHeaderSize: 64 * 1024 },
      (request, response) => void this.#answer(request, response),
    )
    // How long anything may take is between the client and the upstream.
    this.server.requestTimeout = 0
    this.server.timeout = 0
    this.server.keepAliveTimeout = 75_000
  }

  async #answer(request: IncomingMessage, response: ServerResponse) {
    const path = request.url ?? '/'
    // A client without an error handler of its own must not end the process.
    response.on('error', () => {})
    if (path === OWN_PATH || path.startsWith(`${OWN_PATH}/`) || path.startsWith(`${OWN_PATH}?`))
      return this.#parts.answerOwn(request, response)
    if (!isPlainPath(path)) return refuse(response, path)
    const method = request.method ?? 'GET'
    const key = this.#keyOf(request)
    const active = this.#overlap.begin(key ?? '', method, path)
    const startedAt = this.#parts.clock.now().getTime()
    const forwarded = await forward(request, response, { upstream: this.#parts.upstream, budget: this.#budget })
    this.#overlap.end(key ?? '', active)
    const isConcurrent = active.isConcurrent
    const reason = this.#mirror(forwarded, { key, startedAt, isConcurrent, method, path })
    if (reason) {
      forwarded.requestBody.drop()
      forwarded.answerBody.drop()
      this.#parts.onUncompared({ method, path, reason })
    }
    if (forwarded.isComplete) this.#parts.onAnswered?.(forwarded)
  }

  /** Gives our side a copy. A reason: why there is none. */
  #mirror(
    forwarded: Forwarded,
    call: Pick<Exchange, 'startedAt' | 'isConcurrent' | 'method' | 'path'> & { key: string | null },
  ): Reason | null {
    const { answer, request, requestBody, answerBody } = forwarded
    if (!answer || !forwarded.isComplete) return answer || forwarded.isAbandoned ? 'incomplete' : 'upstream_failed'
    if (request.headers.authorization === undefined) return 'no_key'
    if (call.key === null) return 'starting'
    const overflow = requestBody.overflow ?? answerBody.overflow
    if (overflow) return overflow
    if (this.#parts.queue.isFull) return 'behind'
    const refused = this.#admit(call.key, answer.statusCode!)
    if (refused) return refused
    const exchange: Exchange = {
      ...{ ...call, key: call.key, number: ++this.#number, endedAt: this.#parts.clock.now().getTime() },
      ...{ requestHeaders: pick(request.headers, MIRRORED_REQUEST_HEADERS), requestBody: requestBody.body },
      ...{ status: answer.statusCode!, answerHeaders: pick(answer.headers, COMPARED_ANSWER_HEADERS) },
      answerBody: answerBody.body,
    }
    this.#noteNewKey(exchange)
    this.#parts.queue.add(exchange, () => {
      requestBody.drop()
      answerBody.drop()
    })
    return null
  }

  /** A key has a team on our side once the upstream has shown that there is such a key. */
  #admit(key: string, status: number): Reason | null {
    if (this.#keys.has(key)) return null
    if (status === 401 || status === 403) return 'key_refused'
    if (this.#keys.size >= MAX_KEYS) return 'too_many_keys'
    this.#keys.add(key)
    return null
  }

  /** What one key makes, the next one that it has made may ask for: our side is to see both in order. */
  #noteNewKey({ method, path, status, answerBody, key }: Exchange) {
    const secret = this.#parts.keyHashSecret()
    if (!secret || method !== 'POST' || path !== '/api-keys' || status !== 201 || this.#makers.size >= MAX_KEYS) return
    const token = /"token"\s*:\s*"([^"\\]+)"/.exec(Buffer.from(answerBody).toString('utf8', 0, 2_000))?.[1]
    if (token) this.#makers.set(hashKey(secret, token), key)
  }

  #keyOf({ headers }: IncomingMessage): string | null {
    const secret = this.#parts.keyHashSecret()
    const token = /^bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1]
    if (!secret || !token) return null
    const hash = hashKey(secret, this.#parts.isOneTeam ? 'one team' : token.trim())
    return this.#makers.get(hash) ?? hash
  }
}

/** No address of another server, and no way out of the path that the upstream's URL has. */
const isPlainPath = (path: string) =>
  path.startsWith('/') && !/(?:\/|%2f)(?:\.|%2e){1,2}(?:$|\/|%2f)/i.test(path.split(/[?#]/, 1)[0]!)

function refuse(response: ServerResponse, path: string) {
  const message = path.startsWith('/')
    ? 'The path must not have segments that are `.` or `..`.'
    : 'This proxy only passes on calls for its upstream.'
  const body = JSON.stringify({ statusCode: 400, message, name: 'validation_error' })
  response.writeHead(400, { 'content-type': 'application/json; charset=utf-8', connection: 'close' }).end(body)
}
