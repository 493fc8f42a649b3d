import type { HttpOutcome, OutgoingRequest } from '../../../adapters/outgoing-http/outgoing-http.ts'
import { signedHeaders } from '../../../adapters/outgoing-http/signed-headers.ts'
import type { Clock } from '../../../platform/clock.ts'
import { isSandbox } from '../../../platform/ids.ts'
import { causedBy, type Span, type Tracing, traceparentOf, tracing } from '../../../platform/observability/tracing.ts'
import { MESSAGE_PREFIX, messageBody } from './message.ts'
import type { Claimed } from './queries.ts'
import type { SigningKeys } from './secrets.ts'

/** The one way out. It never throws for what the other side does. */
export interface Http {
  send(request: OutgoingRequest): Promise<HttpOutcome>
  close(graceMs?: number): Promise<void>
}

/** What keeps events from endpoints on purpose. */
export interface WebhookFaults {
  /** What comes of this attempt instead of the endpoint's answer; null: nothing keeps it. At once for those that nothing can keep. */
  of(row: Claimed): Promise<Pick<Attempt, 'outcome' | 'durationMs'> | null> | null
}

export interface Attempt {
  readonly sentAt: Date
  readonly durationMs: number
  readonly outcome: HttpOutcome
}

/** The other side has this long to answer in full. */
export const TIMEOUT_MS = 15_000
export const MAX_RESPONSE_BYTES = 64 * 1024

/** Allow-lists in front of receivers go by how it begins. */
const USER_AGENT = 'Svix-Webhooks/1.0 (compatible; Postwren)'

/** Redirects are not followed: who answers with one has not taken the event. */
export async function post(
  row: Claimed,
  data: string,
  { http, keys, clock }: { http: Http; keys: SigningKeys; clock: Clock },
): Promise<Attempt> {
  const sentAt = clock.now()
  // The same bytes are signed and sent.
  const body = Buffer.from(messageBody({ type: row.type, createdAt: row.createdAt, data }))
  const span = tracing && beginPost(tracing, row, sentAt)
  const begin = performance.now()
  const outcome = await http.send({
    method: 'POST',
    url: row.endpoint,
    headers: {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      ...(span && { traceparent: traceparentOf(span.context) }),
      ...signedHeaders({ id: `${MESSAGE_PREFIX}${row.eventId}`, sentAt, body }, keys.get(row.webhookId, row.secrets)),
    },
    body,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_RESPONSE_BYTES,
    whenTooLarge: 'cut',
    // To the application under test, and nothing of a sandbox goes any further.
    isOnlyLoopback: isSandbox(row.team),
  })
  if (span) endPost(span, outcome)
  return { sentAt, durationMs: Math.round(performance.now() - begin), outcome }
}

/** A webhook is traced when its event is. Its URL may have a secret in it: the trace names its host. */
function beginPost(tracing: Tracing, row: Claimed, now: Date): Span | null {
  if (!row.trace) return null
  return tracing.begin('webhook.deliver', {
    kind: 'client',
    ...causedBy(row.trace, now.getTime() - new Date(row.createdAt).getTime()),
    attributes: {
      'postwren.team.id': row.team,
      'postwren.webhook.id': row.webhookId,
      'postwren.event.id': row.eventId,
      'postwren.event.type': row.type,
      'postwren.attempt': row.failures + 1,
      'http.request.method': 'POST',
      'server.address': URL.canParse(row.endpoint) ? new URL(row.endpoint).hostname : undefined,
    },
  })
}

function endPost(span: Span, outcome: HttpOutcome) {
  if (outcome.kind !== 'answered') return span.end(outcome.kind)
  span.set({ 'http.response.status_code': outcome.status })
  span.end(outcome.status >= 200 && outcome.status < 300 ? undefined : String(outcome.status))
}
