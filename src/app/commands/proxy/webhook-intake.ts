import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../../platform/clock.ts'
import type { Exchange } from './exchange.ts'
import { hashKey } from './key-hash.ts'
import type { MirrorQueue } from './queue.ts'

/** The method of what is no call: an event that the upstream has posted. */
export const WEBHOOK = 'WEBHOOK'

const WEBHOOKS_PATH = '/_proxy/webhooks/'
const MAX_EVENT_BYTES = 256 * 1024
const MAX_TOKEN_CHARACTERS = 32

/** A URL that only the operator and the upstream know: anybody else could fill the report. */
export const webhookPath = (secret: Uint8Array) =>
  `${WEBHOOKS_PATH}${hashKey(secret, 'webhooks').slice(0, MAX_TOKEN_CHARACTERS)}`

export const isWebhook = (request: IncomingMessage) =>
  request.method === 'POST' && request.url?.startsWith(WEBHOOKS_PATH) === true

interface IntakeParts {
  readonly queue: MirrorQueue
  readonly clock: Pick<Clock, 'now'>
  keyHashSecret(): Uint8Array | null
}

/** Takes events of the upstream, to be compared with those that our side has recorded. */
export class WebhookIntake {
  readonly #parts: IntakeParts
  #number = 0

  constructor(parts: IntakeParts) {
    this.#parts = parts
  }

  async answer(request: IncomingMessage, response: ServerResponse) {
    const secret = this.#parts.keyHashSecret()
    if (!secret || request.url !== webhookPath(secret)) return void response.writeHead(404).end()
    const body = await bodyOf(request)
    if (!body) return void response.writeHead(413, { connection: 'close' }).end()
    // The upstream is to be content, whatever we make of it.
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    if (!this.#parts.queue.isFull) this.#parts.queue.add(this.#exchangeOf(body), () => {})
  }

  #exchangeOf(body: Buffer): Exchange {
    const now = this.#parts.clock.now().getTime()
    return {
      // Numbers of calls are positive.
      ...{ number: --this.#number, key: WEBHOOK, startedAt: now, endedAt: now, method: WEBHOOK, path: '/' },
      ...{ requestHeaders: {}, requestBody: body, status: 200, answerHeaders: {}, answerBody: Buffer.alloc(0) },
      isConcurrent: false,
    }
  }
}

/** Null: too large, or cut off. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request) {
      bytes += (chunk as Buffer).length
      if (bytes > MAX_EVENT_BYTES) return null
      chunks.push(chunk as Buffer)
    }
  } catch {
    return null
  }
  return Buffer.concat(chunks)
}
