import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { BenchEmail } from '../email.ts'

export interface Felt {
  readonly p50: number
  readonly p99: number
  /** Requests that were not answered with an email's id. */
  readonly refused: number
  readonly worstHealth: number
}

const EVERY_MS = 20
const HEALTH_EVERY_MS = 100
const PATIENCE_MS = 30_000

/** Sends an email every 20 ms, whether or not the one before was answered, and asks how the service is. */
export async function feel(url: string, token: string, email: BenchEmail, seconds: number): Promise<Felt> {
  const dispatcher = new Agent({ connections: 64, pipelining: 1, headersTimeout: PATIENCE_MS })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify(email)
  let refused = 0
  const send = async () => {
    const begin = performance.now()
    const isAccepted = await request(`${url}/emails`, { method: 'POST', dispatcher, headers, body }).then(
      async (answer) => {
        await answer.body.dump()
        return answer.statusCode === 200
      },
      () => false,
    )
    if (!isAccepted) refused++
    return performance.now() - begin
  }
  const look = async () => {
    const begin = performance.now()
    await request(`${url}/health`, { dispatcher }).then(
      (answer) => answer.body.dump(),
      () => {},
    )
    return performance.now() - begin
  }
  const [sent, looked] = await Promise.all([paced(seconds, EVERY_MS, send), paced(seconds, HEALTH_EVERY_MS, look)])
  await dispatcher.close()
  return { p50: quantile(sent, 0.5), p99: quantile(sent, 0.99), refused, worstHealth: Math.max(...looked) }
}

async function paced(seconds: number, everyMs: number, ask: () => Promise<number>): Promise<number[]> {
  const until = performance.now() + seconds * 1_000
  const asked: Promise<number>[] = []
  while (performance.now() < until) {
    asked.push(ask())
    await delay(everyMs)
  }
  return Promise.all(asked)
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}
