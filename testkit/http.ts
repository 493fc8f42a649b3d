import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** Where a Postwren is, and who asks. */
export interface Access {
  readonly url: string
  readonly apiKey: string
}

/** What Postwren refused, in its words. */
export class PostwrenError extends Error {
  override readonly name = 'PostwrenError'
  /** Of the answer; 0 when there was none. */
  readonly status: number
  /** The kind of refusal: `validation_error`, `not_found` … */
  readonly kind: string

  constructor(
    message: string,
    { status = 0, kind = 'no_answer', cause }: { status?: number; kind?: string; cause?: unknown },
  ) {
    super(message, { cause })
    this.status = status
    this.kind = kind
  }
}

/**
 * One call of the API. Not by `fetch`, which tests replace, and some of their environments lack. A connection of its own, so that none
 * is left open when a test ends: on loopback it takes 0.1 ms.
 */
export async function call<Reply>(access: Access, method: string, path: string, body?: unknown): Promise<Reply> {
  const { status, text } = await exchange(access, method, path, body === undefined ? null : JSON.stringify(body))
  const reply = parse(text)
  if (status < 300 && reply !== undefined) return reply as Reply
  const { message = text.slice(0, 200), name = 'unknown' } = (reply ?? {}) as { message?: string; name?: string }
  throw new PostwrenError(`${method} ${path.split('?')[0]} was answered with ${status}: ${message}`, {
    status,
    kind: name,
  })
}

function exchange({ url, apiKey }: Access, method: string, path: string, body: string | null) {
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const fail = (cause: Error) =>
      reject(new PostwrenError(`Postwren does not answer at ${url} (${cause.message}). Is it running?`, { cause }))
    const headers = {
      authorization: `Bearer ${apiKey}`,
      ...(body !== null && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const sent = request(`${url.replace(/\/$/, '')}${path}`, { method, headers, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode!, text }))
      answer.on('error', fail)
    })
    sent.on('error', fail)
    sent.end(body)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
