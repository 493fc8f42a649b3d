import type { DomainReportKind } from '../../mail/domain-reports/read.ts'
import { type HostedMode, hostedPolicyId, POLICY_LABEL } from '../../mail/hosted-policy.ts'
import { type Config, hostName } from '../../platform/settings/config.ts'
import type { RecordKind, Suggestion } from './schema.ts'

/** What the DNS of every domain has to say about this installation. */
export interface Installation {
  /** Takes bounces and received mail. */
  readonly mailHost: string
  /** Serves tracked links. */
  readonly webHost: string
  /** SPF mechanisms that cover whatever sends. */
  readonly spf: string
}

export function installationOf(config: Config): Installation {
  const mailHost = hostName(config)
  const webHost = config.PUBLIC_URL ? new URL(config.PUBLIC_URL).hostname : mailHost
  return { mailHost, webHost, spf: config.SPF ?? `a:${mailHost}` }
}

/** What a domain must be known by to say which records it needs. */
export interface DomainSettings {
  readonly id: string
  readonly name: string
  readonly return_path: string
  readonly tracking_subdomain: string | null
  readonly sending: boolean
  readonly receiving: boolean
  readonly receiving_proof: ReceivingProof
  /** Unset: as `off`. */
  readonly mta_sts?: HostedMode
  /** Those that sign, and those that are to take their place. */
  readonly keys: readonly DomainKey[]
}

export interface DomainKey {
  readonly selector: string
  readonly public_record: string
  readonly state: 'active' | 'pending'
}

/** Which of its records shows that the domain is the team's to receive for. `mx` is for domains from before there was such a thing. */
export type ReceivingProof = 'dkim' | 'txt' | 'mx'

/** What a record is good for. Tracking, policies and reports are no capabilities: a domain is verified without them. */
export type Purpose = 'sending' | 'receiving' | 'tracking' | 'policy' | 'reports'

export interface NeededRecord {
  /** Finds its check in the row of the domain. */
  readonly key: string
  readonly purpose: Purpose
  /** One of these must be good for mail to be taken in. */
  readonly isProof?: boolean
  /** The record of a pending key, which takes over once the record is in the DNS. The status of the domain does not depend on it. */
  readonly isReplacement?: boolean
  /** The domain does not need it. Nothing is waited for, and it never fails. */
  readonly isSuggestion?: boolean
  readonly record: RecordKind | Suggestion
  readonly type: 'MX' | 'TXT' | 'CNAME'
  /** As people enter it, below the domain. */
  readonly name: string
  /** In full. */
  readonly host: string
  readonly value: string
  readonly priority?: number
}

export const returnPathHost = ({ name, return_path }: Pick<DomainSettings, 'name' | 'return_path'>) =>
  `${return_path}.${name}`

export const trackingHost = ({ name, tracking_subdomain }: Pick<DomainSettings, 'name' | 'tracking_subdomain'>) =>
  tracking_subdomain === null ? null : `${tracking_subdomain}.${name}`

/** The records that a domain needs for what it is to do, in the order in which they are shown. */
export function neededRecords(domain: DomainSettings, installation: Installation): NeededRecord[] {
  return [
    ...(domain.sending ? sendingRecords(domain, installation) : []),
    ...(domain.receiving ? receivingRecords(domain, installation) : []),
    ...(domain.tracking_subdomain === null ? [] : [trackingRecord(domain, domain.tracking_subdomain, installation)]),
    ...(domain.receiving ? policyRecords(domain, installation) : []),
    ...(domain.sending ? suggestedRecords(domain) : []),
  ]
}

/**
 * Bounces come back to the return path, so it needs an MX; receivers check the sending machine against its SPF. `~all` and not
 * `-all`: a mail that was forwarded fails SPF through nobody's fault, and DKIM is there to vouch for it.
 */
function sendingRecords(domain: DomainSettings, { mailHost, spf }: Installation): NeededRecord[] {
  const returnPath = { purpose: 'sending', record: 'SPF', name: domain.return_path } as const
  const host = returnPathHost(domain)
  return [
    { ...returnPath, key: 'SPF MX', type: 'MX', host, value: mailHost, priority: 10 },
    // The quotes are part of the value: that is how zone files and the clients of this API have it.
    { ...returnPath, key: 'SPF TXT', type: 'TXT', host, value: `"v=spf1 ${spf} ~all"` },
    ...domain.keys.map(({ selector, public_record, state }): NeededRecord => {
      const name = `${selector}._domainkey`
      const key = `DKIM ${selector}`
      return {
        key,
        purpose: 'sending',
        isProof: state === 'active' && domain.receiving && domain.receiving_proof === 'dkim',
        isReplacement: state === 'pending',
        record: 'DKIM',
        type: 'TXT',
        name,
        host: `${name}.${domain.name}`,
        value: public_record,
      }
    }),
  ]
}

/** Whoever controls the DNS names the domain by its id, which no other team has. Nothing in it is secret. */
function receivingRecords({ id, name, receiving_proof }: DomainSettings, { mailHost }: Installation): NeededRecord[] {
  const receiving = { purpose: 'receiving', record: 'Receiving' } as const
  const mx: NeededRecord = {
    ...receiving,
    key: 'Receiving MX',
    isProof: receiving_proof === 'mx',
    type: 'MX',
    name,
    host: name,
    value: mailHost,
    priority: 10,
  }
  if (receiving_proof !== 'txt') return [mx]
  const label = '_postwren'
  const value = `postwren-receiving=${id}`
  return [
    mx,
    { ...receiving, key: PROOF_KEY, isProof: true, type: 'TXT', name: label, host: `${label}.${name}`, value },
  ]
}

const trackingRecord = (domain: DomainSettings, subdomain: string, { webHost }: Installation): NeededRecord => ({
  key: TRACKING_KEY,
  purpose: 'tracking',
  record: 'Tracking',
  type: 'CNAME',
  name: subdomain,
  host: `${subdomain}.${domain.name}`,
  value: webHost,
})

/** Where the policy is asked for, and the id by which senders see that there is another one. */
function policyRecords({ name, mta_sts = 'off' }: DomainSettings, { mailHost, webHost }: Installation): NeededRecord[] {
  if (mta_sts === 'off') return []
  const policy = { purpose: 'policy', record: 'MTA-STS' } as const
  const value = `v=STSv1; id=${hostedPolicyId(mta_sts, mailHost)};`
  return [
    { ...policy, key: 'MTA-STS TXT', type: 'TXT', name: '_mta-sts', host: `_mta-sts.${name}`, value },
    {
      ...policy,
      key: 'MTA-STS CNAME',
      type: 'CNAME',
      name: POLICY_LABEL,
      host: `${POLICY_LABEL}.${name}`,
      value: webHost,
    },
  ]
}

/** Reports come to the return path, whose MX record leads here: it is below the domain, so nobody has to allow it in a record of its own. */
export const reportAddress = (domain: Pick<DomainSettings, 'name' | 'return_path'>, kind: DomainReportKind): string =>
  `${kind}@${returnPathHost(domain)}`

/** As they are while nobody has looked what the DNS has. Reports about TLS are about mail that comes in. */
function suggestedRecords(domain: DomainSettings): NeededRecord[] {
  const suggestion = { purpose: 'reports', isSuggestion: true, type: 'TXT' } as const
  const record = (label: string) => ({ name: label, host: `${label}.${domain.name}` })
  const dmarc: NeededRecord = {
    ...suggestion,
    ...record('_dmarc'),
    key: DMARC_KEY,
    record: 'DMARC',
    value: `v=DMARC1; p=none; rua=mailto:${reportAddress(domain, 'dmarc')}`,
  }
  if (!domain.receiving) return [dmarc]
  return [
    dmarc,
    {
      ...suggestion,
      ...record('_smtp._tls'),
      key: TLS_REPORT_KEY,
      record: 'TLS-RPT',
      value: `v=TLSRPTv1; rua=mailto:${reportAddress(domain, 'tls')}`,
    },
  ]
}

export const DMARC_KEY = 'DMARC TXT'
export const TLS_REPORT_KEY = 'TLS-RPT TXT'
export const TRACKING_KEY = 'Tracking CNAME'
export const PROOF_KEY = 'Receiving TXT'
