import { OperatorError, oneLine } from '../command.ts'

// The account that an import reads, through its public API alone.

const PAGE = 100
const TIMEOUT_MS = 30_000
/** A page of 100 templates or contacts is far below it. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** Some two minutes in all: then whoever runs the import should know, and can go on later. */
const RETRY_AFTER_MS = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 60_000]
/** In a row, each after the time that the source asked for. */
const MAX_LIMITED = 100
const MAX_LIMITED_WAIT_MS = 300_000

export interface SourceOptions {
  readonly baseUrl: URL
  readonly key: string
  /** Lets time pass. Rejects when the import is to stop. */
  wait(ms: number): Promise<void>
  readonly signal?: AbortSignal
}

/** The source understood the request and refuses it. */
export class SourceRefusal extends OperatorError {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** From where the next page begins; null: this is the last one. */
  readonly next: string | null
}

type Query = Readonly<Record<string, string>>

/** As far as it is what it should be. */
interface Answered {
  readonly data?: unknown
  readonly has_more?: unknown
}

export class Source {
  readonly #options: SourceOptions
  readonly #pace: Pace
  /** Asked so far, those that were asked again included. */
  requests = 0

  constructor(options: SourceOptions) {
    this.#options = options
    this.#pace = new Pace(options.wait)
  }

  /** The answer to a GET; null: the source has no such thing. */
  async get<Answer>(path: string, query: Query = {}): Promise<Answer | null> {
    let limited = 0
    for (let failures = 0; ; ) {
      const answer = await this.#try(path, query)
      if ('status' in answer) {
        const { status, headers, text } = answer
        this.#pace.learn(headers, status === 429)
        if (status === 429) {
          if (++limited > MAX_LIMITED) throw new OperatorError(`${path}: the source goes on answering 429. ${GO_ON}`)
          await this.#options.wait(waitOf(headers))
          continue
        }
        if (status === 404 || status === 405) return null
        if (status < 300) {
          const value = readJson(text)
          if (value !== undefined) return value as Answer
        } else if (status < 500) throw refusalOf(status, text)
      }
      const waitMs = RETRY_AFTER_MS[failures++]
      if (waitMs === undefined) throw new OperatorError(`${path}: ${reasonOf(answer)}. ${GO_ON}`)
      await this.#options.wait(waitMs)
    }
  }

  /** The pages of a list behind `after`, as long as there are any. The next one is read while the caller works at this one. */
  async *pages<Item extends { id: string }>(
    path: string,
    { after = null, query = {} }: { readonly after?: string | null; readonly query?: Query } = {},
  ): AsyncGenerator<Page<Item>> {
    let cursor = after
    let coming = this.#page(path, query, [after])
    for (;;) {
      const page = await coming
      if (page === null) return
      if (!Array.isArray(page.data)) throw new OperatorError(`${path}: the answer is not a list.`)
      const items = page.data as Item[]
      const ids = items.map(({ id }) => id).reverse()
      const next = page.has_more === true ? (ids[0] ?? null) : null
      if (next !== null && next === cursor) throw new OperatorError(`${path}: the source repeats a page.`)
      if (next !== null) {
        coming = this.#page(path, query, ids)
        coming.catch(() => {}) // awaited above; a caller that stops before it must not make it an unhandled rejection
      }
      yield { items, next }
      if (next === null) return
      cursor = next
    }
  }

  /** Whoever deletes the item that a cursor names in the middle of a list leaves those before it. */
  async #page(path: string, query: Query, cursors: readonly (string | null)[]): Promise<Answered | null> {
    const ask = (after: string | null) =>
      this.get<Answered>(path, {
        limit: String(PAGE),
        ...query,
        ...(after !== null && { after }),
      })
    for (const after of cursors) {
      try {
        return await ask(after)
      } catch (error) {
        if (!(error instanceof SourceRefusal && after !== null)) throw error
      }
    }
    // Reading from the beginning costs time and changes nothing that is here already.
    return ask(null)
  }

  async #try(path: string, query: Query): Promise<{ status: number; headers: Headers; text: string } | Error> {
    await this.#pace.turn()
    const { baseUrl, key, signal } = this.#options
    const url = new URL(`${baseUrl.href.replace(/\/$/, '')}${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    this.requests++
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    try {
      const reply = await fetch(url, {
        headers: { authorization: `Bearer ${key}`, accept: 'application/json', 'user-agent': 'postwren-import' },
        // The key is for this host alone.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      })
      return { status: reply.status, headers: reply.headers, text: await textOf(reply) }
    } catch (error) {
      signal?.throwIfAborted()
      return error as Error
    }
  }
}

const GO_ON = 'Run the command again to go on from here.'

/** Keeps to the rate that the source names in its answers, and below it after a 429. */
class Pace {
  readonly #wait: (ms: number) => Promise<void>
  #intervalMs = 0
  #namedMs = 0
  #nextAt = 0

  constructor(wait: (ms: number) => Promise<void>) {
    this.#wait = wait
  }

  async turn() {
    if (this.#intervalMs === 0) return
    const now = performance.now()
    const at = Math.max(now, this.#nextAt)
    this.#nextAt = at + this.#intervalMs
    if (at > now) await this.#wait(at - now)
  }

  learn(headers: Headers, isLimited: boolean) {
    const limit = Number(headers.get('ratelimit-limit'))
    const windowSeconds = Number(/;\s*w=(\d+)/.exec(headers.get('ratelimit-policy') ?? '')?.[1] ?? 1)
    // Others use the account, too: nine of ten are ours.
    if (limit > 0 && windowSeconds > 0) this.#namedMs = (windowSeconds * 1_000) / limit / 0.9
    if (isLimited) this.#intervalMs = Math.min(Math.max(this.#intervalMs, this.#namedMs, 50) * 1.5, 10_000)
    else this.#intervalMs = Math.max(this.#namedMs, this.#intervalMs * 0.98)
    if (this.#intervalMs < 2) this.#intervalMs = 0
  }
}

function waitOf(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? headers.get('ratelimit-reset') ?? 1)
  return Math.min(Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 1_000, MAX_LIMITED_WAIT_MS)
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

/** Undefined: no JSON. No text of PostgreSQL holds a null character. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1'))
  } catch {
    return undefined
  }
}

function refusalOf(status: number, text: string): Error {
  const said = (readJson(text) as { message?: unknown } | undefined)?.message
  const message = oneLine(typeof said === 'string' ? said : `status ${status}`).slice(0, 200)
  if (status === 401 || status === 403)
    return new OperatorError(`The source refuses the API key: ${message}. It needs full access.`)
  return new SourceRefusal(status, `The source refuses a request: ${message}.`)
}

const reasonOf = (answer: { status: number } | Error) =>
  'status' in answer
    ? `the source answers ${answer.status}`
    : `the source cannot be reached (${oneLine(String((answer.cause as Error | undefined)?.message ?? answer.message)).slice(0, 200)})`
