import type { Resolver } from '../../../adapters/dns/resolver.ts'
import { reverseName } from '../../../adapters/dns/reverse-name.ts'
import type { Config } from '../../../platform/settings/config.ts'

const DOMAINS = 'domain:'

const zonesOf = ({ BLOCKLISTS }: Config) =>
  BLOCKLISTS ? BLOCKLISTS.split(',').map((zone) => zone.trim().toLowerCase()) : []

/** Lists that are asked about our addresses. */
export const addressLists = (config: Config): string[] => zonesOf(config).filter((zone) => !zone.startsWith(DOMAINS))

/** Lists that are asked about domains. */
export const domainLists = (config: Config): string[] =>
  zonesOf(config).flatMap((zone) => (zone.startsWith(DOMAINS) ? [zone.slice(DOMAINS.length)] : []))

/**
 * Whether a list has an address or a domain (RFC 5782). Null: it did not answer, or answered that it does not want to be asked from here,
 * which large lists say by 127.255.255.x and others by addresses that are none of theirs.
 */
export async function isListed(
  resolver: Resolver,
  zone: string,
  what: { readonly address: string } | { readonly domain: string },
): Promise<boolean | null> {
  const key = 'domain' in what ? what.domain : reverseName(what.address).replace(/\.(?:in-addr|ip6)\.arpa$/, '')
  const answer = await resolver.lookup(`${key}.${zone}`, 'A')
  if (answer.kind === 'failed') return null
  if (answer.kind === 'none') return false
  const listings = answer.records.filter((address) => address.startsWith('127.') && !address.startsWith('127.255.255.'))
  return listings.length > 0 ? true : null
}
