import { X509Certificate } from 'node:crypto'
import { isPublicAddress } from '../../../adapters/dns/public-address.ts'
import type { Resolver } from '../../../adapters/dns/resolver.ts'
import { requireCertificateFiles } from '../../../adapters/tls/certificate.ts'
import { type Config, hostName } from '../../../platform/settings/config.ts'
import { addressLists, isListed } from './blocklists.ts'
import type { Found } from './finding.ts'

const MAX_ADDRESSES = 8
const DAY_MS = 86_400_000
const SOON_DAYS = 14
const CACHE_TTL_MS = 3_600_000

/** What is the same for all domains of an installation: its names, addresses and certificate. Asked once an hour in a process, however many domains there are. */
const known = new WeakMap<Resolver, { readonly until: number; readonly found: Promise<Found[]> }>()

export function examineInstallation(resolver: Resolver, config: Config, now: Date): Promise<Found[]> {
  const cached = known.get(resolver)
  if (cached && now.getTime() < cached.until && now.getTime() >= cached.until - CACHE_TTL_MS) return cached.found
  const found = examine(resolver, config, now)
  known.set(resolver, { until: now.getTime() + CACHE_TTL_MS, found })
  found.catch(() => known.delete(resolver))
  return found
}

async function examine(resolver: Resolver, config: Config, now: Date): Promise<Found[]> {
  const certificate = examineCertificate(config, now)
  // Through a relay others see its addresses, not ours.
  if (config.DELIVERY !== 'direct') return certificate
  const host = hostName(config)
  const addresses = await sourcesOf(resolver, config, host)
  const [reverse, lists] = await Promise.all([
    Promise.all(addresses.map((address) => examineReverse(resolver, host, address))),
    Promise.all(addresses.map((address) => examineLists(resolver, config, address))),
  ])
  return [...certificate, ...reverse, ...lists.flat()]
}

/** As the settings say, or those that the name has. */
async function sourcesOf(resolver: Resolver, { SOURCE_ADDRESS: { v4, v6 } }: Config, host: string): Promise<string[]> {
  const set = [v4, v6].filter((address) => address !== undefined)
  if (set.length > 0) return set.filter(isPublicAddress)
  const answers = await Promise.all([resolver.lookup(host, 'A'), resolver.lookup(host, 'AAAA')])
  const all = answers.flatMap((answer) => (answer.kind === 'found' ? answer.records : []))
  return all.filter(isPublicAddress).slice(0, MAX_ADDRESSES)
}

const bare = (name: string) => name.toLowerCase().replace(/\.$/, '')

/** The name of an address, and whether it leads back to it: receivers distrust one that does not. */
async function examineReverse(resolver: Resolver, host: string, address: string): Promise<Found> {
  const check = `reverse_dns:${address}`
  const answer = await resolver.lookup(address, 'PTR')
  if (answer.kind === 'failed') return { check, status: 'unknown', message: `The name of ${address} was not told.` }
  const names = answer.kind === 'found' ? answer.records.map(bare) : []
  const record = { name: address, type: 'PTR', value: host } as const
  if (!names.includes(bare(host))) {
    const is = names.length > 0 ? `is ${names.slice(0, 3).join(', ')}` : 'is missing'
    const message = `The name of ${address} (PTR) ${is}; it should be ${host}. Ask the provider of the address.`
    return { check, status: 'problem', message, record }
  }
  const forward = await resolver.lookup(host, address.includes(':') ? 'AAAA' : 'A')
  if (forward.kind === 'failed') return { check, status: 'unknown', message: `The address of ${host} was not told.` }
  const isSame = (one: string) => one === address || (one.includes(':') && canonical(one) === canonical(address))
  if (forward.kind === 'found' && forward.records.some(isSame))
    return { check, status: 'ok', message: `${address} is ${host}, in both directions.` }
  const wanted = { name: host, type: 'A', value: address } as const
  return {
    check,
    status: 'problem',
    message: `${host} does not lead back to ${address}. Add the address.`,
    record: wanted,
  }
}

const canonical = (address: string) => new URL(`http://[${address}]/`).hostname

async function examineLists(resolver: Resolver, config: Config, address: string): Promise<Found[]> {
  return Promise.all(
    addressLists(config).map(async (zone): Promise<Found> => {
      const check = `blocklist:${zone}:${address}`
      const listed = await isListed(resolver, zone, { address })
      if (listed === null) return { check, status: 'unknown', message: `${zone} did not answer.` }
      return listed
        ? {
            check,
            status: 'problem',
            message: `${address} is on ${zone}. Find out why on its site, end the cause, then ask for removal.`,
          }
        : { check, status: 'ok', message: `${address} is not on ${zone}.` }
    }),
  )
}

function examineCertificate(config: Config, now: Date): Found[] {
  const check = 'certificate'
  if (!config.TLS_CERT) return []
  try {
    const pair = requireCertificateFiles(config)
    if (!pair) return []
    const certificate = new X509Certificate(pair.cert)
    const until = Date.parse(certificate.validTo)
    const day = new Date(until).toISOString().slice(0, 10)
    const host = hostName(config)
    if (until < now.getTime() + SOON_DAYS * DAY_MS)
      return [
        {
          check,
          status: 'problem',
          message: `The certificate of ${host} ${until < now.getTime() ? 'expired' : 'expires'} on ${day}. Renew it.`,
        },
      ]
    if (!certificate.checkHost(host))
      return [{ check, status: 'problem', message: `The certificate of POSTWREN_TLS_CERT is not for ${host}.` }]
    return [{ check, status: 'ok', message: `The certificate of ${host} is valid until ${day}.` }]
  } catch {
    // The process that does background work may be on a machine without the files; the one with SMTP says so.
    return []
  }
}
