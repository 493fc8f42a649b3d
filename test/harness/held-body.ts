import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { onTestFinished } from 'vitest'
import type { App } from './app.ts'

export interface HeldBody {
  /** Sends the rest. */
  finish(): Promise<{ status: number; body: { id?: string; name?: string; message?: string } }>
}

/**
 * A request to a service that listens, whose body lacks its last byte. Resolves when the service has begun to read the body, and so has asked all that it asks
 * before.
 */
export async function holdBody(
  app: App,
  { method, path, payload, headers }: { method: string; path: string; payload: Buffer; headers: OutgoingHttpHeaders },
): Promise<HeldBody> {
  const { port } = app.server.server.address() as { port: number }
  const begun = new Promise<void>((resolve) => {
    const listen = (message: unknown) => {
      const { request: incoming } = message as { request: IncomingMessage }
      if (incoming.url === path) incoming.once('resume', resolve)
    }
    subscribe('http.server.request.start', listen)
    onTestFinished(() => void unsubscribe('http.server.request.start', listen))
  })
  const sending = request({
    ...{ host: '127.0.0.1', port, method, path, agent: false },
    headers: { ...headers, 'content-length': payload.length },
  })
  sending.write(payload.subarray(0, -1))
  await begun
  return {
    async finish() {
      sending.end(payload.subarray(-1))
      const [answer] = (await once(sending, 'response')) as [IncomingMessage]
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk as Buffer)
      return { status: answer.statusCode!, body: JSON.parse(Buffer.concat(chunks).toString()) }
    },
  }
}
