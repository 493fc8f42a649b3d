import { isIPv4, isIPv6 } from 'node:net'
import type { Destination } from '../../../../adapters/smtp-client/destination.ts'
import type { SourceAddresses } from '../../../../platform/settings/settings.ts'

/** What a provider counts mail by, and speaks of when it has had enough. */
export const IDENTITY_KINDS = [
  'source',
  'netblock',
  'spf_domain',
  'dkim_domain',
  'url_domain',
  'tenant',
  'site',
] as const
export type IdentityKind = (typeof IDENTITY_KINDS)[number]

/** Those that every mail has and a controller can be about. Links are looked for only when a pause is about one. */
export type PacedKind = Exclude<IdentityKind, 'url_domain'>
export const PACED_KINDS: readonly PacedKind[] = ['source', 'netblock', 'spf_domain', 'dkim_domain', 'tenant', 'site']

/** What a mail carries of what others count by. */
export interface MailIdentities extends SourceIdentity {
  /** Of the return path. */
  readonly spf_domain: string
  /** Null: it is not signed. */
  readonly dkim_domain: string | null
  readonly tenant: string
}

export interface SourceIdentity {
  readonly source: string
  readonly netblock: string
}

/** The sources of a file, where there is one. */
export interface KnownSources {
  /** Those that this process has. */
  here(): readonly SourceIdentity[]
  /** Whether a process has it, by what it advertises. */
  isOf(node: { readonly watches: readonly string[] }, source: string): boolean
}

/** Mail on its way: where it goes, and what it carries. */
export interface MailTarget {
  readonly destination: Destination
  /** Of the recipients. Null: several, which is how a relay gets them. */
  readonly domain: string | null
  readonly identities: MailIdentities
}

/** The identity of a kind that a mail has; empty for the site, of which all mail is. */
export const identityOf = (mail: MailIdentities, kind: PacedKind): string | null => (kind === 'site' ? '' : mail[kind])

/** The name under which what was said about mail to a destination is kept: the provider's, else the site's. */
export const destinationNameOf = ({ provider, site, name }: Destination) => provider ?? site ?? name

/** The mail for a domain, as a destination. */
export const domainAsDestination = (domain: string) => `@${domain.toLowerCase()}`

/** Every destination whose pauses are about this mail. */
export function destinationNamesOf({ destination, domain }: Pick<MailTarget, 'destination' | 'domain'>): string[] {
  const { provider, site, name } = destination
  const destinations = [provider, site ?? name, domain === null ? undefined : domainAsDestination(domain)]
  return destinations.filter((destination): destination is string => destination !== undefined)
}

/** Where mail leaves from, as the others see it. Without a setting the system chooses, and all nodes count as one. */
export function sourceIdentity({ v4, v6 }: SourceAddresses): SourceIdentity {
  const source = [v4, v6].filter((address) => address !== undefined).join(',') || 'default'
  return { source, netblock: netblockOf(v4 ?? v6) }
}

/** As large as the others take it for one sender: /24, or /64. */
function netblockOf(address: string | undefined): string {
  if (address === undefined) return 'default'
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  if (!isIPv6(address)) return 'default'
  const [head = '', tail] = address.toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const groups = [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
