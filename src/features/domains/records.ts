import { type Config, hostName } from '../../platform/settings/config.ts'

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

/** What a record is good for. Tracking is no capability: a domain is verified without it. */
export type Purpose = 'sending' | 'receiving' | 'tracking'

export interface NeededRecord {
  /** Finds its check in the row of the domain. */
  readonly key: string
  readonly purpose: Purpose
  /** One of these must be good for mail to be taken in. */
  readonly isProof?: boolean
  /** The record of a pending key, which takes over once the record is in the DNS. The status of the domain does not depend on it. */
  readonly isReplacement?: boolean
  readonly record: 'SPF' | 'DKIM' | 'Receiving' | 'Tracking'
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

export const TRACKING_KEY = 'Tracking CNAME'
export const PROOF_KEY = 'Receiving TXT'
