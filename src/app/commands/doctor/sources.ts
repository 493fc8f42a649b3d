import type pg from 'pg'
import { createResolver, type Resolver } from '../../../adapters/dns/resolver.ts'
import { tryToBind } from '../../../adapters/smtp-client/try-to-bind.ts'
import { findWatches } from '../../../kernel/db/presence.ts'
import type { Source } from '../../../mail/sources/sources.ts'
import { type Config, nameServers } from '../../../platform/settings/config.ts'
import { type CheckInput, type Finding, fault, fine, warning } from './finding.ts'

const LIMITS = { timeoutMs: 2_000, tries: 2 }

/** Each address that mail is to leave from: whether this machine has it, and whether its names are as receivers expect. */
export async function checkSources({ config }: CheckInput): Promise<Finding[]> {
  const { SOURCES, DELIVERY, ROLES } = config
  if (!SOURCES || DELIVERY === 'inbox' || !ROLES.includes('delivery')) return []
  const resolver = createResolver({ ...nameServers(config), ...LIMITS })
  const findings = await Promise.all(SOURCES.sources.map((source) => checkSource(resolver, source)))
  const hasSome = findings.some(({ isHere }) => isHere)
  const none = fault(
    'sources',
    'Sources: this machine has no address of POSTWREN_SOURCES, so that it leaves all mail to other machines.',
  )
  return [...(hasSome ? [] : [none]), ...findings.flatMap((one) => one.findings)]
}

async function checkSource(resolver: Resolver, source: Source): Promise<{ isHere: boolean; findings: Finding[] }> {
  const { name, ehlo } = source
  const addresses = Object.values(source.addresses)
  const codes = await Promise.all(addresses.map(tryToBind))
  const isHere = codes.every((code) => code === null)
  const missing = addresses.filter((_address, index) => codes[index] !== null)
  const named = (await Promise.all(addresses.map((address) => checkNames(resolver, source, address)))).flat()
  // Of two addresses that make one source both are needed.
  const partly = `Source ${name}: ${missing.join(', ')} cannot be used on this machine, which has its other address: the source is not used here.`
  const findings = [...(!isHere && missing.length < addresses.length ? [fault('sources', partly)] : []), ...named]
  const where = isHere ? 'this machine' : 'another machine'
  const all = fine('sources', `Source ${name}: ${addresses.join(', ')} of ${where} is ${ehlo}.`)
  return { isHere, findings: findings.length > 0 ? findings : [all] }
}

/** The EHLO name leads to the address, and the address to the name. */
async function checkNames(resolver: Resolver, { name, ehlo }: Source, address: string): Promise<Finding[]> {
  const type = address.includes(':') ? 'AAAA' : 'A'
  const [forward, reverse] = await Promise.all([resolver.lookup(ehlo, type), resolver.lookup(address, 'PTR')])
  if (forward.kind === 'failed')
    return [warning('sources', `Source ${name}: its names were not checked: ${forward.reason}.`)]
  const hosts = forward.kind === 'found' ? forward.records : []
  const names = reverse.kind === 'found' ? reverse.records.map((one) => one.toLowerCase().replace(/\.$/, '')) : []
  return [
    ...(hosts.some((host) => isSameAddress(host, address))
      ? []
      : [
          warning(
            'sources',
            `Source ${name}: its EHLO name ${ehlo} should have the ${type} record ${address}; ${hosts.length > 0 ? `it has ${hosts.join(', ')}` : 'it has none'}.`,
          ),
        ]),
    ...(names.includes(ehlo)
      ? []
      : [
          warning(
            'sources',
            `Source ${name}: the name of ${address} (PTR) should be ${ehlo}; ${names.length > 0 ? `it is ${names.join(', ')}` : 'there is none'}. Ask the provider of the address to change it.`,
          ),
        ]),
  ]
}

/** IPv6 addresses have several spellings. */
const isSameAddress = (one: string, other: string) => canonical(one) === canonical(other)
const canonical = (address: string) => (address.includes(':') ? new URL(`http://[${address}]`).hostname : address)

/** Sources whose address no running process has. */
export async function checkSourcesOfNodes(client: pg.Client, config: Config): Promise<Finding[]> {
  const nodes = config.SOURCES && (await findWatches(client))
  if (!config.SOURCES || !nodes || nodes.length === 0) return []
  const { channelOf } = await import('../../../features/emails/delivery/sources/source-names.ts')
  const unused = config.SOURCES.sources.filter(
    ({ name }) => !nodes.some((watches) => watches.includes(channelOf(name))),
  )
  return unused.map(({ name }) =>
    warning(
      'sources',
      `Source ${name}: no running process has its address. Mail of its pools leaves from other sources.`,
    ),
  )
}
