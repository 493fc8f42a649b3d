import { type Config, hostName } from '../../platform/config.ts'

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
  readonly name: string
  readonly return_path: string
  readonly tracking_subdomain: string | null
  readonly sending: boolean
  readonly receiving: boolean
  readonly keys: readonly { readonly selector: string; readonly public_record: string }[]
}

/** What a record is good for. Tracking is no capability: a domain is verified without it. */
export type Purpose = 'sending' | 'receiving' | 'tracking'

export interface NeededRecord {
  /** Finds its check in the row of the domain. */
  readonly key: string
  readonly purpose: Purpose
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
    ...(domain.receiving ? [receivingRecord(domain, installation)] : []),
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
    ...domain.keys.map(({ selector, public_record }): NeededRecord => {
      const name = `${selector}._domainkey`
      const key = `DKIM ${selector}`
      return {
        key,
        purpose: 'sending',
        record: 'DKIM',
        type: 'TXT',
        name,
        host: `${name}.${domain.name}`,
        value: public_record,
      }
    }),
  ]
}

const receivingRecord = ({ name }: DomainSettings, { mailHost }: Installation): NeededRecord => ({
  key: 'Receiving MX',
  purpose: 'receiving',
  record: 'Receiving',
  type: 'MX',
  name,
  host: name,
  value: mailHost,
  priority: 10,
})

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
