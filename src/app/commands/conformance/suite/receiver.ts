import { createHmac, timingSafeEqual } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { withinTime } from './time-limit.ts'

const MAX_BODY_BYTES = 1024 * 1024
const MAX_DELIVERIES = 2_000

/** One request of a webhook, as it came. */
export interface Delivery {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** An application that webhooks are sent to. Each webhook has a path of its own, which nobody can guess. */
export class Receiver {
  readonly #server: Server
  readonly #events = new EventEmitter()
  readonly #failing = new Map<string, number>()
  readonly deliveries: Delivery[] = []

  constructor() {
    this.#events.setMaxListeners(0)
    this.#server = createServer((request, response) => {
      read(request).then(
        (body) => {
          const path = request.url ?? ''
          if (this.deliveries.length < MAX_DELIVERIES) this.deliveries.push({ path, headers: request.headers, body })
          const failures = this.#failing.get(path) ?? 0
          if (failures > 0) this.#failing.set(path, failures - 1)
          response.writeHead(failures > 0 ? 500 : 200, { 'content-type': 'text/plain' }).end('thanks')
          this.#events.emit('delivery')
        },
        () => response.writeHead(413).end(),
      )
    })
  }

  /** Beyond this machine only when somebody says where it is reached. */
  async listen({ port, isPublic }: { readonly port: number; readonly isPublic: boolean }): Promise<number> {
    this.#server.listen(port, isPublic ? undefined : '127.0.0.1')
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  /** The next one on this path is answered with 500. */
  failOnce(path: string) {
    this.#failing.set(path, 1)
  }

  /** Null: not in time. */
  async wait<Value>(
    find: (deliveries: readonly Delivery[]) => Value | undefined,
    { withinMs, signal }: { readonly withinMs: number; readonly signal: AbortSignal },
  ): Promise<Value | null> {
    return withinTime(withinMs, signal, async (limited) => {
      for (;;) {
        const found = find(this.deliveries)
        if (found !== undefined) return found
        try {
          await once(this.#events, 'delivery', { signal: limited })
        } catch {
          signal.throwIfAborted()
          return null
        }
      }
    })
  }

  close() {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error('too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The signatures of a delivery that this secret has made, of all that it has. */
export function signaturesBy(secret: string, { headers, body }: Delivery): { right: number; all: number } {
  const given = String(headers['svix-signature'] ?? '')
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const content = `${headers['svix-id']}.${headers['svix-timestamp']}.${body}`
  const wanted = createHmac('sha256', key).update(content).digest()
  const right = given.filter((one) => {
    const bytes = Buffer.from(one.slice('v1,'.length), 'base64')
    return bytes.length === wanted.length && timingSafeEqual(bytes, wanted)
  })
  return { right: right.length, all: given.length }
}
