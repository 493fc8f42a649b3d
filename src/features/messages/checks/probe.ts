import type { HttpOutcome, OutgoingHttp } from '../../../adapters/outgoing-http/outgoing-http.ts'

export type Probed =
  | { readonly kind: 'answered'; readonly status: number; readonly bytes: number | null }
  | { readonly kind: 'refused' | 'failed' | 'timed_out'; readonly reason: string }

/** Looks whether something is at an address, and how large it is. `isOnlyLoopback`: on this machine, or nowhere. */
export type Probe = (url: string, options: { isOnlyLoopback: boolean; signal: AbortSignal }) => Promise<Probed>

const TIMEOUT_MS = 8_000
const MAX_REDIRECTS = 5
/** Enough to know that a picture is larger than it should be. */
const MAX_RESPONSE_BYTES = 1024 * 1024 + 1

/** Asks without wanting the page, and for the page where that is refused: many servers know one way only. */
export const prober =
  (http: OutgoingHttp): Probe =>
  async (url, { isOnlyLoopback, signal }) => {
    const ask = (method: 'GET' | 'HEAD') =>
      http.send({
        ...{ method, url, signal, isOnlyLoopback },
        ...{ timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES, whenTooLarge: 'cut', maxRedirects: MAX_REDIRECTS },
      })
    const head = probed(await ask('HEAD'), 'HEAD')
    return head.kind === 'answered' && head.status >= 400 ? probed(await ask('GET'), 'GET') : head
  }

function probed(outcome: HttpOutcome, method: 'GET' | 'HEAD'): Probed {
  if (outcome.kind === 'too_large') return { kind: 'failed', reason: outcome.reason }
  if (outcome.kind !== 'answered') return { kind: outcome.kind, reason: outcome.reason }
  const announced = Number(outcome.headers['content-length'] ?? Number.NaN)
  const bytes = Number.isSafeInteger(announced) ? announced : method === 'GET' ? outcome.body.length : null
  return { kind: 'answered', status: outcome.status, bytes }
}
