import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'

const AFTER_FAILURE_MS = 50

/** Does it over and over, so many at a time, whatever comes of it. */
export async function repeat(count: number, signal: AbortSignal, work: (n: number) => Promise<unknown>) {
  const loop = async (n: number) => {
    while (!signal.aborted) await work(n).catch(() => delay(AFTER_FAILURE_MS))
  }
  await Promise.all(Array.from({ length: count }, (_, n) => loop(n)))
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly token: string
  readonly body?: string
}

/** Connections of their own, and requests on them whose answers are thrown away. */
export function connections(count: number, signal: AbortSignal) {
  const dispatcher = new Agent({ connections: count, pipelining: 1 })
  signal.addEventListener('abort', () => void dispatcher.destroy())
  return async (url: string, { method = 'GET', token, body }: Call) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const answer = await request(url, { method, dispatcher, headers, ...(body && { body }) })
    const text = await answer.body.text()
    if (answer.statusCode >= 400) throw new Error(`${answer.statusCode} ${text}`)
    return text
  }
}
