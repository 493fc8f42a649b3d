import { isDomain, toAsciiDomain } from '../address.ts'
import { JsonTrouble, type Located, parseWithLines } from '../providers/json-lines.ts'
import type { PoolMember, Source, SourceAddresses, SourcePool, SourceRule, SourceSettings } from './sources.ts'

const MAX_SOURCES = 250
const MAX_POOLS = 250
const MAX_RULES = 1_000
const MAX_WEIGHT = 1_000_000
const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/i
const TEAM = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The pool of all sources, where the file names none. */
const EVERYTHING = 'default'

/** A place in the file, and how to say what is wrong with it. */
interface Reader {
  fail(line: number, message: string): Error
  /** An IPv4 address, an IPv6 address, or one of each. Throws what is wrong with it. */
  readonly addressesOf: (text: string) => SourceAddresses
}

type Fields = ReadonlyMap<string, Located>

/** The sources of a file. Throws one line that names file, line and key. */
export function readSourceFile(path: string, text: string, addressesOf: Reader['addressesOf']): SourceSettings {
  const reader: Reader = {
    addressesOf,
    fail: (line, message) => new Error(`has a mistake in ${path}:${line}: ${message}`),
  }
  try {
    return readRoot(reader, parseWithLines(text))
  } catch (error) {
    if (error instanceof JsonTrouble) throw reader.fail(error.line, error.message)
    throw error
  }
}

const ROOT_KEYS = ['sources', 'pools', 'rules', 'default', 'warm_up_domains']

function readRoot(reader: Reader, root: Located): SourceSettings {
  const fields = fieldsOf(reader, root, ROOT_KEYS)
  const sources = itemsOf(reader, fields, { key: 'sources', max: MAX_SOURCES }).map((item) => readSource(reader, item))
  if (sources.length === 0) throw reader.fail(root.line, '`sources` must have at least one')
  const names = uniqueNames(reader, sources)
  requireOwnAddresses(reader, sources)
  const pools = itemsOf(reader, fields, { key: 'pools', max: MAX_POOLS }).map((item) => readPool(reader, item, names))
  if (pools.length === 0) {
    const members = sources.map(({ value }) => ({ source: value.name, weight: 1 }))
    pools.push({ line: root.line, value: { name: EVERYTHING, members } })
  }
  const poolNames = uniqueNames(reader, pools)
  const rules = itemsOf(reader, fields, { key: 'rules', max: MAX_RULES }).map((item) =>
    readRule(reader, item, poolNames),
  )
  return {
    sources: sources.map(({ value }) => value),
    pools: pools.map(({ value }) => value),
    rules,
    defaultPool: readDefault(reader, { root, fields, poolNames }),
    warmUpDomains: readWarmUpDomains(reader, fields.get('warm_up_domains')),
  }
}

function readDefault(
  reader: Reader,
  { root, fields, poolNames }: { root: Located; fields: Fields; poolNames: ReadonlySet<string> },
): string {
  if (fields.has('default')) return memberOf(reader, fields, { key: 'default', known: poolNames, what: 'pool' })
  if (poolNames.size === 1) return [...poolNames][0]!
  throw reader.fail(root.line, '`default` is missing: the pool of mail that no rule fits')
}

function readWarmUpDomains(reader: Reader, given: Located | undefined): SourceSettings['warmUpDomains'] {
  if (given === undefined || given.value === false) return []
  if (given.value === true) return 'all'
  if (!Array.isArray(given.value))
    throw reader.fail(given.line, '`warm_up_domains` must be true, false, or a list of domains')
  return given.value.map((item: Located) => domainIn(reader, item, 'warm_up_domains'))
}

interface Placed<Value> {
  readonly line: number
  readonly value: Value
}

function readSource(reader: Reader, item: Located): Placed<Source> {
  const fields = fieldsOf(reader, item, ['name', 'address', 'ehlo', 'warm_up'])
  const warmUp = fields.get('warm_up')
  if (warmUp && typeof warmUp.value !== 'boolean') throw reader.fail(warmUp.line, '`warm_up` must be true or false')
  const ehlo = textOf(reader, fields, { key: 'ehlo', item }).toLowerCase()
  if (!isDomain(ehlo)) throw reader.fail(fields.get('ehlo')!.line, '`ehlo` must be a host name like mail.example.com')
  const addresses = readAddresses(reader, fields, item)
  return {
    line: item.line,
    value: { name: nameIn(reader, fields, item), addresses, ehlo, warmUp: warmUp?.value === true },
  }
}

function readAddresses(reader: Reader, fields: Fields, item: Located): SourceAddresses {
  const text = textOf(reader, fields, { key: 'address', item })
  try {
    return reader.addressesOf(text)
  } catch (error) {
    throw reader.fail(fields.get('address')!.line, `\`address\` ${(error as Error).message}`)
  }
}

function requireOwnAddresses(reader: Reader, sources: readonly Placed<Source>[]) {
  const seen = new Set<string>()
  for (const { line, value } of sources)
    for (const address of Object.values(value.addresses)) {
      if (seen.has(address)) throw reader.fail(line, `\`address\` ${address} is another source's`)
      seen.add(address)
    }
}

function readPool(reader: Reader, item: Located, sources: ReadonlySet<string>): Placed<SourcePool> {
  const fields = fieldsOf(reader, item, ['name', 'sources'])
  const given = fields.get('sources')
  if (!(given?.value instanceof Map) || given.value.size === 0)
    throw reader.fail(given?.line ?? item.line, '`sources` must be an object of sources with their weights')
  const members = [...(given.value as Fields)].map(([source, { line, value: weight }]): PoolMember => {
    if (!sources.has(source)) throw reader.fail(line, `\`${source}\` is no source`)
    if (typeof weight !== 'number' || !Number.isInteger(weight) || weight < 0 || weight > MAX_WEIGHT)
      throw reader.fail(line, `\`${source}\` must have a whole number from 0 to ${MAX_WEIGHT} as its weight`)
    return { source, weight }
  })
  return { line: item.line, value: { name: nameIn(reader, fields, item), members } }
}

function readRule(reader: Reader, item: Located, pools: ReadonlySet<string>): SourceRule {
  const fields = fieldsOf(reader, item, ['team', 'domain', 'stream', 'tag', 'pool'])
  const [team, domain, stream, tag] = ['team', 'domain', 'stream', 'tag'].map((key) => fields.get(key))
  if (!fields.has('pool')) throw reader.fail(item.line, '`pool` is missing')
  if (team && !TEAM.test(String(team.value))) throw reader.fail(team.line, '`team` must be the id of a team')
  if (stream && stream.value !== 'single' && stream.value !== 'broadcast')
    throw reader.fail(stream.line, '`stream` must be `single` or `broadcast`')
  return {
    ...(team && { team: team.value as string }),
    ...(domain && { domain: domainIn(reader, domain, 'domain') }),
    ...(stream && { stream: stream.value as 'single' | 'broadcast' }),
    ...(tag && { tag: readTag(reader, tag) }),
    pool: memberOf(reader, fields, { key: 'pool', known: pools, what: 'pool' }),
  }
}

function readTag(reader: Reader, { line, value }: Located): NonNullable<SourceRule['tag']> {
  const [, name, given] = /^([^=]+)(?:=(.*))?$/s.exec(typeof value === 'string' ? value : '') ?? []
  if (name === undefined) throw reader.fail(line, '`tag` must be a name, or a name and a value as `category=receipt`')
  return { name, value: given ?? null }
}

function fieldsOf(reader: Reader, item: Located, known: readonly string[]): Fields {
  if (!(item.value instanceof Map)) throw reader.fail(item.line, 'it must be an object')
  const fields = item.value as Fields
  for (const [key, { line }] of fields)
    if (!known.includes(key)) throw reader.fail(line, `\`${key}\` is not known; known are ${known.join(', ')}`)
  return fields
}

function itemsOf(reader: Reader, fields: Fields, { key, max }: { key: string; max: number }): readonly Located[] {
  const given = fields.get(key)
  if (given === undefined) return []
  if (!Array.isArray(given.value)) throw reader.fail(given.line, `\`${key}\` must be an array of objects`)
  if (given.value.length > max) throw reader.fail(given.line, `\`${key}\` must have at most ${max} items`)
  return given.value
}

function uniqueNames(reader: Reader, items: readonly Placed<{ readonly name: string }>[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { line, value } of items) {
    if (names.has(value.name)) throw reader.fail(line, `\`name\` ${value.name} is there twice`)
    names.add(value.name)
  }
  return names
}

function textOf(reader: Reader, fields: Fields, { key, item }: { key: string; item: Located }): string {
  const given = fields.get(key)
  if (!given) throw reader.fail(item.line, `\`${key}\` is missing`)
  if (typeof given.value !== 'string') throw reader.fail(given.line, `\`${key}\` must be a text`)
  return given.value
}

function nameIn(reader: Reader, fields: Fields, item: Located): string {
  const name = textOf(reader, fields, { key: 'name', item })
  if (!NAME.test(name))
    throw reader.fail(
      fields.get('name')!.line,
      '`name` must be letters, digits, dots, dashes and underscores, at most 63',
    )
  return name
}

function memberOf(
  reader: Reader,
  fields: Fields,
  { key, known, what }: { key: string; known: ReadonlySet<string>; what: string },
): string {
  const { line, value } = fields.get(key)!
  if (typeof value !== 'string' || !known.has(value))
    throw reader.fail(line, `\`${key}\` must be the name of a ${what}: ${[...known].join(', ')}`)
  return value
}

function domainIn(reader: Reader, { line, value }: Located, key: string): string {
  const domain = typeof value === 'string' ? toAsciiDomain(value.trim().replace(/^@/, '')).toLowerCase() : ''
  if (!isDomain(domain)) throw reader.fail(line, `\`${key}\` must be a domain like example.com`)
  return domain
}
