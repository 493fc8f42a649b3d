import { X509Certificate } from 'node:crypto'
import { isPublicAddress } from '../../../adapters/dns/public-address.ts'
import type { Resolver } from '../../../adapters/dns/resolver.ts'
import { requireCertificateFiles } from '../../../adapters/tls/certificate.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { toAsciiDomain } from '../../../mail/address.ts'
import type { SourceAddresses } from '../../../mail/sources/sources.ts'
import { acmeDirectory } from '../../../platform/settings/acme.ts'
import { type Config, hostName } from '../../../platform/settings/config.ts'
import { installationOf } from '../records.ts'
import { addressLists, isListed } from './blocklists.ts'
import { examineOrdered, SOON_DAYS } from './certificates.ts'
import type { Found } from './finding.ts'

const MAX_ADDRESSES = 8
const DAY_MS = 86_400_000

interface Examination {
  readonly db: Queryable
  readonly resolver: Resolver
  readonly config: Config
  readonly now: Date
}

/** Where mail leaves from, and what it calls itself there. */
interface OwnAddress {
  readonly address: string
  readonly host: string
}

export interface Examined {
  readonly found: readonly Found[]
  /** False: some of it could not be looked at from here, so what is not in `found` may still be as it was. */
  readonly isWhole: boolean
}

/** What is the same for all domains of an installation: its names, addresses and certificates. */
export async function examineInstallation({ db, resolver, config, now }: Examination): Promise<Examined> {
  const own = examineCertificate(config, now)
  const certificates = [...(own ?? []), ...(await examineOrdered(db, orderedNames(config), now))]
  // Through a relay others see its addresses, not ours.
  if (config.DELIVERY !== 'direct') return { found: certificates, isWhole: own !== null }
  const { addresses, areKnown } = await ownAddresses(resolver, config)
  const found: Found[] = []
  // One after the other: there may be many, and nobody waits.
  for (const one of addresses) {
    found.push(await examineReverse(resolver, one))
    found.push(...(await examineLists(resolver, config, one.address)))
  }
  return { found: [...certificates, ...found], isWhole: own !== null && areKnown }
}

/** The names of the installation that a certificate is ordered for. */
function orderedNames(config: Config): string[] {
  if (acmeDirectory(config) === null) return []
  const { mailHost, webHost } = installationOf(config)
  const names = [...(config.TLS_CERT ? [] : [mailHost]), webHost]
  return [...new Set(names.map((name) => toAsciiDomain(name).toLowerCase()))]
}

async function ownAddresses(resolver: Resolver, config: Config) {
  const sources = config.SOURCES?.sources ?? [{ addresses: config.SOURCE_ADDRESS, ehlo: hostName(config) }]
  const found = await Promise.all(
    sources.map(async ({ addresses, ehlo: host }) => {
      const seen = await addressesSeen(resolver, addresses, host)
      return { areKnown: seen !== null, addresses: (seen ?? []).map((address): OwnAddress => ({ address, host })) }
    }),
  )
  return { addresses: found.flatMap(({ addresses }) => addresses), areKnown: found.every(({ areKnown }) => areKnown) }
}

/** As the settings say. Without any, or behind a router that translates them, others see those that the name has. Null: name servers did not answer. */
async function addressesSeen(resolver: Resolver, { v4, v6 }: SourceAddresses, host: string): Promise<string[] | null> {
  const set = [v4, v6].filter((address) => address !== undefined && isPublicAddress(address)) as string[]
  if (set.length > 0) return set
  const answers = await Promise.all([resolver.lookup(host, 'A'), resolver.lookup(host, 'AAAA')])
  if (answers.some(({ kind }) => kind === 'failed')) return null
  const all = answers.flatMap((answer) => (answer.kind === 'found' ? answer.records : []))
  return all.filter(isPublicAddress).slice(0, MAX_ADDRESSES)
}

const bare = (name: string) => name.toLowerCase().replace(/\.$/, '')

/** The name of an address, and whether it leads back to it: receivers distrust one that does not. */
async function examineReverse(resolver: Resolver, { host, address }: OwnAddress): Promise<Found> {
  const check = `reverse_dns:${address}`
  const answer = await resolver.lookup(address, 'PTR')
  if (answer.kind === 'failed')
    return { check, status: 'unknown', message: `The reverse DNS lookup of ${address} failed.` }
  const names = answer.kind === 'found' ? answer.records.map(bare) : []
  const record = { name: address, type: 'PTR', value: host } as const
  if (!names.includes(bare(host))) {
    const is = names.length > 0 ? `is ${names.slice(0, 3).join(', ')}` : 'is missing'
    const message = `The name of ${address} (PTR) ${is}; it should be ${host}. Ask the provider of the address.`
    return { check, status: 'problem', message, record }
  }
  const type = address.includes(':') ? 'AAAA' : 'A'
  const forward = await resolver.lookup(host, type)
  if (forward.kind === 'failed') return { check, status: 'unknown', message: `The lookup of ${host} failed.` }
  const isSame = (one: string) => one === address || (one.includes(':') && canonical(one) === canonical(address))
  if (forward.kind === 'found' && forward.records.some(isSame))
    return { check, status: 'ok', message: `${address} is ${host}, in both directions.` }
  const wanted = { name: host, type, value: address } as const
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

/** Null: the files cannot be read here. */
function examineCertificate(config: Config, now: Date): Found[] | null {
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
    return null
  }
}
