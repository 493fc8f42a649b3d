import { isAddress } from './address.ts'

// SMTP TLS reports (RFC 8460): what senders tell a domain once a day about the sessions with its mail servers.

/** Somebody who gets many reports has one place for them; more would be others'. */
const MAX_TARGETS = 3

export interface ReportTargets {
  readonly mailboxes: readonly string[]
  readonly urls: readonly string[]
}

/** Where the TXT records at `_smtp._tls` want reports. Null: nowhere. */
export function readReportRecord(texts: readonly string[]): ReportTargets | null {
  const records = texts.filter((text) => /^v=TLSRPTv1[ \t]*;/.test(text))
  if (records.length !== 1) return null
  const [, uris] = /;[ \t]*rua[ \t]*=[ \t]*([^;]+)/.exec(records[0]!) ?? []
  const targets = (uris ?? '')
    .split(',')
    .map((uri) => uri.trim())
    .slice(0, MAX_TARGETS)
  const mailboxes = targets.flatMap((uri) => mailboxOf(uri) ?? [])
  const urls = targets.filter((uri) => /^https:\/\/[!-~]{1,1000}$/i.test(uri) && URL.canParse(uri))
  return mailboxes.length + urls.length > 0 ? { mailboxes, urls } : null
}

function mailboxOf(uri: string): string | null {
  const [, encoded] = /^mailto:([^?]{1,320})/i.exec(uri) ?? []
  if (encoded === undefined) return null
  try {
    const address = decodeURIComponent(encoded)
    return isAddress(address) ? address : null
  } catch {
    return null
  }
}

export type ReportedPolicy = 'sts' | 'no-policy-found'

/** Sessions of a day that went the same way. */
export interface SessionCount {
  readonly policy: ReportedPolicy
  /** `success`, or what went wrong in the words of RFC 8460, 4.3. */
  readonly result: string
  readonly mxHost: string
  readonly mxAddress: string
  readonly localAddress: string
  readonly reason: string
  readonly sessions: number
}

export interface ReportSubject {
  /** Who reports, by the name of its mail server. */
  readonly submitter: string
  readonly contact: string
  readonly domain: string
  /** `2026-11-18`, in UTC. */
  readonly day: string
  readonly counts: readonly SessionCount[]
  /** The policy that sessions were held to, as lines of its file and its servers. Null: it is not known any more. */
  readonly policy: { readonly lines: readonly string[]; readonly mx: readonly string[] } | null
}

/** The same for the same day and domain, whoever makes it: a receiver who gets it twice sees that. */
export const reportIdOf = ({ day, domain, submitter }: Pick<ReportSubject, 'day' | 'domain' | 'submitter'>) =>
  `${day}_${domain}@${submitter}`

/** The report as RFC 8460, 4.4 has it. */
export function tlsReportOf(subject: ReportSubject): object {
  const { submitter, contact, domain, day, counts, policy } = subject
  const kinds = [...new Set(counts.map((count) => count.policy))].sort()
  return {
    'organization-name': submitter,
    'date-range': { 'start-datetime': `${day}T00:00:00Z`, 'end-datetime': `${day}T23:59:59Z` },
    'contact-info': contact,
    'report-id': reportIdOf(subject),
    policies: kinds.map((kind) => {
      const own = counts.filter((count) => count.policy === kind)
      const failures = own.filter(({ result }) => result !== 'success')
      const details = kind === 'sts' && policy ? { 'policy-string': policy.lines, 'mx-host': policy.mx } : {}
      return {
        policy: { 'policy-type': kind, ...details, 'policy-domain': domain },
        summary: {
          'total-successful-session-count': sumOf(own.filter(({ result }) => result === 'success')),
          'total-failure-session-count': sumOf(failures),
        },
        ...(failures.length > 0 && { 'failure-details': failures.map(failureOf) }),
      }
    }),
  }
}

const sumOf = (counts: readonly SessionCount[]) => counts.reduce((sum, { sessions }) => sum + sessions, 0)

const failureOf = ({ result, mxHost, mxAddress, localAddress, reason, sessions }: SessionCount) => ({
  'result-type': result,
  ...(localAddress !== '' && { 'sending-mta-ip': localAddress }),
  ...(mxHost !== '' && { 'receiving-mx-hostname': mxHost }),
  ...(mxAddress !== '' && { 'receiving-ip': mxAddress }),
  'failed-session-count': sessions,
  ...(reason !== '' && { 'failure-reason-code': reason }),
})

/** RFC 8460, 5.1. */
export function reportFileOf({ submitter, domain, day }: Pick<ReportSubject, 'submitter' | 'domain' | 'day'>): string {
  const start = Date.parse(`${day}T00:00:00Z`) / 1_000
  return `${submitter}!${domain}!${start}!${start + 86_399}.json.gz`
}

/** The mail that brings a report, and where its body begins. Message-ID and date are added when it leaves. */
export function reportMessageOf(
  subject: Pick<ReportSubject, 'submitter' | 'domain' | 'day'>,
  { from, to, packed }: { from: string; to: string; packed: Buffer },
): { readonly raw: Buffer; readonly bodyStart: number; readonly title: string } {
  const { submitter, domain } = subject
  const id = reportIdOf(subject)
  const title = `Report Domain: ${domain} Submitter: ${submitter} Report-ID: <${id}>`
  const boundary = `=_tlsrpt_${subject.day}`
  const header = [
    `From: ${from}`,
    `To: <${to}>`,
    `Subject: Report Domain: ${domain}`,
    ` Submitter: ${submitter}`,
    ` Report-ID: <${id}>`,
    `TLS-Report-Domain: ${domain}`,
    `TLS-Report-Submitter: ${submitter}`,
    // It is about TLS that failed: it comes through all the same (RFC 8689).
    'TLS-Required: No',
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type="tlsrpt"; boundary="${boundary}"`,
    '',
    '',
  ].join('\r\n')
  const body = [
    `--${boundary}`,
    'Content-Type: text/plain; charset=us-ascii',
    '',
    `This is an SMTP TLS report of ${submitter} about ${domain}, ${subject.day} (UTC).`,
    '',
    `--${boundary}`,
    'Content-Type: application/tlsrpt+gzip',
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: attachment; filename="${reportFileOf(subject)}"`,
    '',
    packed.toString('base64').replace(/.{76}(?=.)/g, '$&\r\n'),
    `--${boundary}--`,
    '',
  ].join('\r\n')
  return { raw: Buffer.from(header + body), bodyStart: Buffer.byteLength(header), title }
}
