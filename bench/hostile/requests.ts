import { setMaxListeners } from 'node:events'
import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/** Sends one body as fast as it is taken, and returns when it is answered, refused or cut off. */
export function post(
  url: string,
  { token, type = 'application/json', signal }: { token?: string; type?: string; signal: AbortSignal },
  body: Iterable<string | Buffer>,
): Promise<void> {
  return new Promise((resolve) => {
    const headers = { 'content-type': type, ...(token && { authorization: `Bearer ${token}` }) }
    const sending = request(url, { method: 'POST', headers, signal }, (response) => {
      response.resume()
      response.on('close', resolve)
    })
    sending.on('error', () => resolve())
    sending.on('close', () => resolve())
    const chunks = body[Symbol.iterator]()
    const send = () => {
      for (;;) {
        if (sending.destroyed || sending.writableEnded) return
        const { done, value } = chunks.next()
        if (done) return void sending.end()
        if (!sending.write(value)) return void sending.once('drain', send)
      }
    }
    send()
  })
}

/** Does it again and again, some at once, until it is told to stop. */
export async function repeat(signal: AbortSignal, atOnce: number, one: () => Promise<unknown>) {
  setMaxListeners(0, signal)
  const again = async () => {
    while (!signal.aborted) await one().catch(() => wait(50))
  }
  await Promise.all(Array.from({ length: atOnce }, again))
}

/** `size` bytes of one piece, in chunks of 64 kB. */
export function* fill(piece: string, size: number): Generator<string> {
  const chunk = piece.repeat(Math.ceil(65_536 / piece.length))
  for (let sent = 0; sent < size; sent += chunk.length) yield chunk
}

/** Asks as a program of the team would, and gives the body back. */
export async function call(
  { url, token }: { url: string; token: string },
  method: 'POST' | 'GET',
  path: string,
  body: unknown,
  signal: AbortSignal,
) {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
    signal,
  })
  return (await reply.json()) as Record<string, unknown>
}
