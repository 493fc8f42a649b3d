import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { Capture, type MemoryBudget } from './capture.ts'
import { answerHeadersOf, requestHeadersFor } from './hop-by-hop.ts'
import type { Upstream } from './upstream.ts'

/** An email may have 40 MB of attachments, and a bit around them. */
export const MAX_MIRRORED_REQUEST_BYTES = 64 * 1024 * 1024
export const MAX_MIRRORED_ANSWER_BYTES = 16 * 1024 * 1024

/** How a call ended. */
export interface Forwarded {
  readonly request: IncomingMessage
  readonly requestBody: Capture
  /** Null: the upstream gave none. */
  readonly answer: IncomingMessage | null
  readonly answerBody: Capture
  /** Whether the client has got all of the answer that the upstream gave. */
  readonly isComplete: boolean
  /** Whether the client went away before that. */
  readonly isAbandoned: boolean
}

interface Parts {
  readonly upstream: Upstream
  readonly budget: MemoryBudget
}

/** Passes a request to the upstream and its answer to the client, both streamed. Resolves when the client has its answer or has disconnected. */
export function forward(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<Forwarded> {
  return new Promise((resolve) => new Forwarding(request, response, { ...parts, resolve }).start())
}

/** A connection that was kept open and that the upstream closed just then: it has not seen the request. */
const LOST_CONNECTION = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED'])

class Forwarding {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #upstream: Upstream
  readonly #requestBody: Capture
  readonly #answerBody: Capture
  readonly #resolve: (forwarded: Forwarded) => void
  #answer: IncomingMessage | null = null
  #call: ClientRequest | null = null
  #isRepeated = false
  #isAbandoned = false
  #hasEnded = false

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { upstream, budget, resolve }: Parts & { resolve(forwarded: Forwarded): void },
  ) {
    this.#request = request
    this.#response = response
    this.#upstream = upstream
    this.#requestBody = new Capture(budget, MAX_MIRRORED_REQUEST_BYTES)
    this.#answerBody = new Capture(budget, MAX_MIRRORED_ANSWER_BYTES)
    this.#resolve = resolve
  }

  start() {
    this.#request.on('data', (chunk: Buffer) => this.#requestBody.add(chunk))
    // A client that goes away in the middle: the upstream is to see it, too.
    this.#request.on('error', () => this.#call?.destroy())
    this.#response.on('close', () => {
      if (this.#response.writableFinished) return
      this.#isAbandoned = true
      this.#call?.destroy()
      this.#end(false)
    })
    this.#send()
  }

  #send() {
    const { method = 'GET', url = '/' } = this.#request
    const headers = requestHeadersFor(this.#request, this.#upstream.host)
    const call = this.#upstream.request({ method, path: url, headers })
    this.#call = call
    call.on('response', (answer) => this.#passOn(answer))
    call.on('error', (error) => this.#fail(call, error as NodeJS.ErrnoException))
    // A second try begins with what the first one was given.
    for (const chunk of this.#requestBody.chunks) call.write(chunk)
    if (this.#request.readableEnded) call.end()
    else this.#request.pipe(call)
  }

  #passOn(answer: IncomingMessage) {
    this.#answer = answer
    this.#response.sendDate = false
    this.#response.writeHead(answer.statusCode!, answer.statusMessage, answerHeadersOf(answer))
    // Whoever streams waits for the first bytes.
    this.#response.flushHeaders()
    answer.on('data', (chunk: Buffer) => this.#answerBody.add(chunk))
    answer.on('end', () => this.#end(answer.complete))
    // The client is to see that it was cut off, as it would without us.
    answer.on('error', () => this.#response.destroy())
    answer.on('aborted', () => this.#response.destroy())
    answer.pipe(this.#response)
  }

  #fail(call: ClientRequest, error: NodeJS.ErrnoException) {
    if (this.#hasEnded || call !== this.#call) return
    if (this.#answer) {
      this.#response.destroy()
      return this.#end(false)
    }
    this.#request.unpipe(call)
    if (this.#mayRepeat(call, error)) {
      this.#isRepeated = true
      return this.#send()
    }
    this.#refuse(error)
    this.#end(false)
  }

  #mayRepeat(call: ClientRequest, { code }: NodeJS.ErrnoException) {
    const { method = 'GET', headers } = this.#request
    const isSafe = method === 'GET' || method === 'HEAD' || headers['idempotency-key'] !== undefined
    const isLost = call.reusedSocket && LOST_CONNECTION.has(code ?? '')
    return isLost && isSafe && !this.#isRepeated && !this.#requestBody.overflow && !this.#response.destroyed
  }

  /** In the shape of the contract. It names the upstream: nobody is to look for the fault here. */
  #refuse({ code, message }: NodeJS.ErrnoException) {
    if (this.#response.destroyed || this.#response.headersSent) return
    const reason = `The upstream ${this.#upstream.origin} could not be reached (${code ?? message}).`
    const body = JSON.stringify({ statusCode: 502, message: reason, name: 'application_error' })
    this.#response.writeHead(502, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    })
    this.#response.end(body)
    this.#request.resume()
  }

  #end(isComplete: boolean) {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#resolve({
      ...{ request: this.#request, requestBody: this.#requestBody },
      ...{ answer: this.#answer, answerBody: this.#answerBody, isComplete, isAbandoned: this.#isAbandoned },
    })
  }
}
