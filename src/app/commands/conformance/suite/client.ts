import { Pace, waitOf } from './pace.ts'

/** More than any answer to the suite is. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
/** In a row, each after the time that the server asked for. */
const MAX_LIMITED = 20
/** In a row, and nobody waits for more of them: a whole run of time-outs would take hours. */
const MAX_UNANSWERED = 10

export interface Request {
  readonly method: string
  /** With its query. */
  readonly path: string
  /** Sent as JSON, a form as a form. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Null: without any. */
  readonly key?: string | null
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** There was no answer. */
export class Unanswered extends Error {}

export interface ClientOptions {
  readonly baseUrl: string
  readonly key: string
  /** Requests a second; 0: as fast as the server likes. */
  readonly rate: number
  readonly timeoutMs: number
  /** No request begins after it. One that has begun is waited for: it may make something that is to be deleted. */
  readonly stop: AbortSignal
  /** Nothing is waited for any more. */
  readonly end: AbortSignal
}

/** Requests to the server, at its pace. What is refused for its rate is asked again. */
export class Client {
  readonly #options: ClientOptions
  readonly #pace: Pace
  /** The first answer that said that the suite is too fast. */
  limited: Reply | null = null
  requests = 0
  #unanswered = 0

  constructor(options: ClientOptions) {
    this.#options = options
    this.#pace = new Pace(options.rate)
  }

  get key(): string {
    return this.#options.key
  }

  /** The server has stopped answering. */
  get isSilent(): boolean {
    return this.#unanswered >= MAX_UNANSWERED
  }

  async send(request: Request, signal = this.#options.stop): Promise<Reply> {
    for (let limited = 0; ; ) {
      await this.#pace.turn(signal)
      signal.throwIfAborted()
      const reply = await this.#send(request)
      this.#pace.learn(reply.headers)
      if (reply.status !== 429) return reply
      this.limited ??= reply
      if (++limited > MAX_LIMITED) return reply
      await this.#pace.wait(waitOf(reply.headers), signal)
    }
  }

  /** So many at the same moment, whatever the pace: what is refused for its rate stays refused. */
  burst(request: Request, count: number): Promise<Reply[]> {
    this.#options.stop.throwIfAborted()
    return Promise.all(Array.from({ length: count }, () => this.#send(request)))
  }

  async #send({ method, path, body, headers = {}, key = this.#options.key }: Request): Promise<Reply> {
    const { baseUrl, timeoutMs, end } = this.#options
    const timeout = AbortSignal.timeout(timeoutMs)
    const isForm = body instanceof FormData
    this.requests++
    try {
      const reply = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          'user-agent': 'postwren-conformance',
          ...(!isForm && { 'content-type': 'application/json' }),
          ...(key !== null && { authorization: `Bearer ${key}` }),
          ...headers,
        },
        ...(body !== undefined && { body: isForm || typeof body === 'string' ? body : JSON.stringify(body) }),
        // The key is for this host alone.
        redirect: 'manual',
        signal: AbortSignal.any([end, timeout]),
      })
      const text = await textOf(reply)
      this.#unanswered = 0
      return { status: reply.status, headers: reply.headers, text }
    } catch (error) {
      end.throwIfAborted()
      this.#unanswered++
      if (timeout.aborted) throw new Unanswered(`no answer within ${timeoutMs / 1_000} s`)
      const cause = (error as Error).cause as NodeJS.ErrnoException | undefined
      throw new Unanswered(cause?.code ?? cause?.message ?? (error as Error).message)
    }
  }
}

async function textOf(reply: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of reply.body ?? []) {
    size += chunk.length
    if (size > MAX_ANSWER_BYTES) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
