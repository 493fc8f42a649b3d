import type { HttpOutcome, OutgoingRequest } from '../../../adapters/outgoing-http/outgoing-http.ts'
import { readStsPolicy, type StsPolicy } from '../../../mail/mta-sts.ts'

/** The guarded client: no private addresses, no redirects, and a certificate that is valid for the host. */
export interface PolicyHttp {
  send(request: OutgoingRequest): Promise<HttpOutcome>
}

export type FetchedPolicy =
  | { readonly kind: 'fetched'; readonly policy: StsPolicy }
  | { readonly kind: 'failed' | 'invalid'; readonly reason: string }

/** Mail waits for it. */
const TIMEOUT_MS = 10_000
/** RFC 8461, 3.3. */
const MAX_BYTES = 65_536

export const policyHost = (domain: string) => `mta-sts.${domain}`

/** The policy that a domain serves now. `port` is for tests. */
export async function fetchPolicy(http: PolicyHttp, domain: string, port = 443): Promise<FetchedPolicy> {
  const outcome = await http.send({
    method: 'GET',
    url: `https://${policyHost(domain)}${port === 443 ? '' : `:${port}`}/.well-known/mta-sts.txt`,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
  if (outcome.kind !== 'answered') return { kind: 'failed', reason: outcome.reason }
  if (outcome.status !== 200) return { kind: 'failed', reason: `it answered with ${outcome.status}` }
  // Where users may upload files, a page of theirs must not become the policy of the domain.
  if (!/^text\/plain\s*(?:;|$)/i.test(outcome.headers['content-type'] ?? ''))
    return { kind: 'invalid', reason: 'it is not text/plain' }
  const policy = readStsPolicy(outcome.body.toString('utf8'))
  return typeof policy === 'string' ? { kind: 'invalid', reason: policy } : { kind: 'fetched', policy }
}
