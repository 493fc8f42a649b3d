import { clean } from './dmarc-report.ts'
import { MAX_COUNT, MAX_FAILURES, MAX_POLICIES } from './limits.ts'
import { UnreadableReport } from './unpack.ts'

// Reports about TLS of mail that came to a domain (RFC 8460).

export interface TlsFailure {
  /** `certificate-expired`, `starttls-not-supported`, … (RFC 8460, 4.3). */
  readonly type: string
  readonly mx: string
  readonly count: number
}

export interface TlsPolicyResult {
  /** `sts`, `tlsa` or `no-policy-found`. */
  readonly policyType: string
  readonly domain: string
  readonly successes: number
  readonly failures: number
  readonly details: readonly TlsFailure[]
}

export interface TlsReport {
  readonly kind: 'tls'
  readonly reporter: string
  readonly reportId: string
  readonly from: Date
  readonly to: Date
  readonly policies: readonly TlsPolicyResult[]
}

export function readTlsReport(json: Buffer): TlsReport {
  const report = objectOf(parse(json))
  const range = objectOf(report['date-range'])
  const [from, to] = [momentOf(range['start-datetime']), momentOf(range['end-datetime'])]
  const [reporter, reportId] = [textOf(report['organization-name']), textOf(report['report-id'])]
  if (!reporter || !reportId || !from || !to || to < from || !Array.isArray(report.policies))
    throw new UnreadableReport('it is no report about TLS')
  return { kind: 'tls', reporter, reportId, from, to, policies: report.policies.slice(0, MAX_POLICIES).map(policyOf) }
}

function parse(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8').replace(/^\uFEFF/, ''))
  } catch {
    throw new UnreadableReport('it is no JSON')
  }
}

function policyOf(value: unknown): TlsPolicyResult {
  const { policy, summary, 'failure-details': details } = objectOf(value)
  const { 'policy-type': type, 'policy-domain': domain } = objectOf(policy)
  const counts = objectOf(summary)
  const failures: unknown[] = Array.isArray(details) ? details.slice(0, MAX_FAILURES) : []
  return {
    policyType: textOf(type).toLowerCase(),
    domain: textOf(domain).toLowerCase().replace(/\.$/, ''),
    successes: countOf(counts['total-successful-session-count']),
    failures: countOf(counts['total-failure-session-count']),
    details: failures.map((failure) => {
      const of = objectOf(failure)
      return {
        type: textOf(of['result-type']).toLowerCase(),
        mx: textOf(of['receiving-mx-hostname']).toLowerCase(),
        count: countOf(of['failed-session-count']),
      }
    }),
  }
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const textOf = (value: unknown) => (typeof value === 'string' ? clean(value) : '')

const countOf = (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) > 0 ? Math.min(value as number, MAX_COUNT) : 0

function momentOf(value: unknown): Date | null {
  const moment = new Date(typeof value === 'string' ? value : Number.NaN)
  return Number.isNaN(moment.getTime()) ? null : moment
}
