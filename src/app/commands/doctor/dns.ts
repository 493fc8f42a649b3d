import { isPublicAddress } from '../../../adapters/dns/public-address.ts'
import { createResolver, type Resolver } from '../../../adapters/dns/resolver.ts'
import { addressLists, isListed } from '../../../features/domains/health/blocklists.ts'
import { type Config, hostName, isLoopback, nameServers } from '../../../platform/settings/config.ts'
import { type CheckInput, type Finding, fault, fine, warning } from './finding.ts'

const LIMITS = { timeoutMs: 2_000, tries: 2 }

/** That name servers answer, and what they tell other mail servers about us. */
export async function checkDns({ config }: CheckInput): Promise<Finding[]> {
  const resolver = createResolver({ ...nameServers(config), ...LIMITS })
  const host = hostName(config)
  const [v4, v6, alias] = await Promise.all([
    resolver.lookup(host, 'A'),
    resolver.lookup(host, 'AAAA'),
    resolver.lookup(host, 'CNAME'),
  ])
  const isDirect = config.DELIVERY === 'direct'
  if (v4.kind === 'failed')
    return [
      isDirect
        ? fault(
            'dns',
            `DNS: ${v4.reason}. No mail can be sent without DNS: check the network, or set POSTWREN_DNS_SERVERS.`,
          )
        : warning('dns', `DNS: ${v4.reason}. Domains cannot be verified without it.`),
    ]
  if (!isInTheMailWorld(config)) return [fine('dns', 'DNS: name servers answer.')]
  const addresses = [v4, v6].flatMap((answer) => (answer.kind === 'found' ? [...answer.records] : []))
  if (addresses.length === 0) {
    const message = `DNS: ${host} has no address, so that the MX records of domains cannot point to it and SPF by \`a:${host}\` fails: give it an A record.`
    return [isDirect ? fault('dns', message) : warning('dns', message)]
  }
  return [
    fine('dns', `DNS: ${host} is at ${addresses.join(', ')}.`),
    ...(alias.kind === 'found'
      ? [
          warning(
            'dns',
            `DNS: ${host} is an alias (CNAME), and an MX record must not point to one: give it an A record.`,
          ),
        ]
      : []),
    ...(isDirect ? await checkReverse(resolver, host, addresses.filter(isPublicAddress)) : []),
    ...(isDirect ? await checkLists(resolver, addressLists(config), addresses.filter(isPublicAddress)) : []),
  ]
}

/** On a laptop nobody looks us up. */
const isInTheMailWorld = ({ HOSTNAME, PUBLIC_URL, HOST, DELIVERY }: Config) =>
  HOSTNAME !== undefined || PUBLIC_URL !== undefined || !isLoopback(HOST) || DELIVERY === 'direct'

/** Receivers look the name of an address up, and distrust one that does not fit. */
async function checkReverse(resolver: Resolver, host: string, addresses: readonly string[]): Promise<Finding[]> {
  const findings = await Promise.all(
    addresses.map(async (address): Promise<Finding[]> => {
      const answer = await resolver.lookup(address, 'PTR')
      const names = answer.kind === 'found' ? answer.records.map((name) => name.toLowerCase()) : []
      if (names.includes(host)) return []
      const found = names.length > 0 ? `it is ${names.join(', ')}` : 'there is none'
      return [
        warning(
          'dns',
          `DNS: the name of ${address} (PTR) should be ${host}; ${found}. Ask the provider of the address to change it.`,
        ),
      ]
    }),
  )
  return findings.flat()
}

/** The lists of `POSTWREN_BLOCKLISTS`. */
async function checkLists(
  resolver: Resolver,
  zones: readonly string[],
  addresses: readonly string[],
): Promise<Finding[]> {
  const asked = zones.flatMap((zone) => addresses.map((address) => ({ zone, address })))
  const findings = await Promise.all(
    asked.map(async ({ zone, address }): Promise<Finding[]> => {
      const listed = await isListed(resolver, zone, { address })
      return listed
        ? [warning('dns', `DNS: ${address} is on the blocklist ${zone}. See docs/operations/night/blocklisted.md.`)]
        : []
    }),
  )
  return findings.flat()
}
