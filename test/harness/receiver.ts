import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Resend } from 'resend'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { onTestFinished, vi } from 'vitest'
import { ObservedList } from './changes.ts'

/** One request as the receiver saw it. */
export interface Received {
  readonly path: string
  /** The `svix-id`. */
  readonly id: string
  readonly headers: Record<string, string>
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: compared with what a test expects of it
  readonly event: any
}

type Answer = (response: ServerResponse, received: Received, request: IncomingMessage) => unknown

const ok: Answer = (response) => response.end('thanks')

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** An application that is told what happens: remembers what was posted to it, and answers as it is told to. On loopback. */
export async function startReceiver(answer: Answer = ok) {
  const received = new ObservedList<Received>()
  const script = { answer }
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => '')
    // Cut off by the end of a test.
    if (!request.complete) return
    const headers = request.headers as Record<string, string>
    const one = { path: request.url!, id: headers['svix-id']!, headers, body, event: JSON.parse(body) }
    received.push(one)
    script.answer(response, one, request)
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** In the order of arrival. */
    received: received as readonly Received[],
    /** Changes the script from here on. */
    answer: (next: Answer) => {
      script.answer = next
    },
    succeed: () => {
      script.answer = ok
    },
    fail: (status = 500) => {
      script.answer = (response) => response.writeHead(status).end('no')
    },
    /** Those that came to this path. */
    at: (path: string) => received.filter((one) => one.path === path),
    reached: (count: number, withinMs?: number) => received.reached(count, withinMs),
    /** Resolves once it holds; looked at whenever something has arrived. */
    until: (condition: () => unknown, withinMs?: number) => received.until(condition, withinMs),
  }
}

/** Throws unless everybody who checks signatures accepts the request: the SDK, Svix, and Standard Webhooks. */
export function verify({ headers, body, id }: Received, secret: string) {
  const timestamp = headers['svix-timestamp']!
  // They all look at the time. The clock of the test may be hours ahead of it.
  vi.useFakeTimers({ toFake: ['Date'], now: Number(timestamp) * 1_000 })
  try {
    const resend = new Resend('re_unused')
    const given = { id, timestamp, signature: headers['svix-signature']! }
    new SvixWebhook(secret).verify(body, headers)
    new StandardWebhook(secret).verify(body, headers)
    return resend.webhooks.verify({ payload: body, headers: given, webhookSecret: secret })
  } finally {
    vi.useRealTimers()
  }
}
