import { unanswered } from '../../../../adapters/mail-api/api-sender.ts'
import { tryHost } from '../../../../adapters/smtp-client/try-host.ts'
import type { RouteDefinition } from '../../../../mail/routes/routes.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { SourceAddresses } from '../../../../platform/settings/settings.ts'
import { relayResolver } from '../transport/destination-resolvers.ts'
import type { FaultOfRoute } from './route-store.ts'
import { apiOf, operatorsHttp } from './route-transports.ts'

export type CheckedRoute = Exclude<RouteDefinition, { kind: 'direct' }>

/** What a route answers to somebody who brings no mail. */
export type RouteCheck =
  | { readonly kind: 'well'; readonly host: string; readonly isEncrypted: boolean }
  | ({ readonly kind: 'faulty' } & Omit<FaultOfRoute, 'at'>)

interface CheckParts {
  readonly clock: Clock
  readonly heloName: string
  readonly sourceAddresses: SourceAddresses
}

const STEP_MS = 4_000
const API_MS = 10_000
const MAX_BYTES = 64 * 1024

/** Whether a route could take mail: connects, encrypts and logs in as delivery does. */
export const checkRoute = (route: CheckedRoute, parts: CheckParts): Promise<RouteCheck> =>
  route.kind === 'relay' ? checkRelay(route, parts) : checkApi(route)

async function checkRelay({ url }: Extract<CheckedRoute, { kind: 'relay' }>, parts: CheckParts): Promise<RouteCheck> {
  const { clock, heloName, sourceAddresses } = parts
  const found = await relayResolver({ RELAY_URL: url, RELAY_CONNECTIONS: 1 }, clock).resolve('')
  const destination = found.kind === 'found' ? found.destination : null
  let last: RouteCheck | null = null
  for (const host of destination?.hosts ?? []) {
    const result = await tryHost(host, { heloName, sourceAddresses, timeoutMs: STEP_MS })
    const name = `${host.host}:${host.port}`
    if (result.kind === 'reached') return { kind: 'well', host: name, isEncrypted: result.isEncrypted }
    const fault = result.at === 'login' || result.at === 'tls' ? result.at : 'connection'
    last = { kind: 'faulty', fault, reply: result.reply, host: host.host }
    if (fault === 'login') break
  }
  const reply = destination?.problem ?? '451 4.4.4 No host to try'
  return last ?? { kind: 'faulty', fault: 'connection', reply, host: null }
}

async function checkApi(route: Extract<CheckedRoute, { kind: 'ses' | 'resend' }>): Promise<RouteCheck> {
  const api = apiOf(route)
  const http = operatorsHttp()
  try {
    const request = await api.check()
    const answer = await http.send({ ...request, timeoutMs: API_MS, maxBytes: MAX_BYTES, whenTooLarge: 'cut' })
    const outcome = answer.kind === 'answered' ? api.judge(answer) : unanswered(api.host, answer)
    const { host } = api
    const well = { kind: 'well', host, isEncrypted: request.url.startsWith('https:') } as const
    if (answer.kind === 'answered' && answer.status < 300) return well
    // What it thinks of the question is no matter, once it knows who asks: a key may be for nothing but sending.
    if (outcome.kind !== 'deferred' || /AccessDenied/.test(outcome.reply)) return well
    if (!outcome.unreachable && !outcome.isUncertain) return well
    return { kind: 'faulty', fault: outcome.unreachable ?? 'answer', reply: outcome.reply, host }
  } finally {
    await http.close(0)
  }
}
