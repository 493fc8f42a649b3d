/** Addresses of a machine that mail leaves from, by the family of where it goes: one of them, or both. */
export interface SourceAddresses {
  readonly v4?: string
  readonly v6?: string
}

/** Where mail can leave from. */
export interface Source {
  readonly name: string
  readonly addresses: SourceAddresses
  /** What it calls itself in EHLO. */
  readonly ehlo: string
  /** Whether providers are to get to know it slowly. */
  readonly warmUp: boolean
}

/** Sources that share mail by their weights. One with weight 0 gets what the others cannot take. */
export interface SourcePool {
  readonly name: string
  readonly members: readonly PoolMember[]
}

export interface PoolMember {
  readonly source: string
  readonly weight: number
}

/** The one that a rule or an operator means: by its name, or by one of its addresses. */
export const sourceCalled = <One extends Pick<Source, 'name' | 'addresses'>>(
  called: string,
  sources: readonly One[],
): One | undefined => {
  const names = ({ name, addresses }: One) => [name, addresses.v4, addresses.v6].map((one) => one?.toLowerCase())
  return sources.find((source) => names(source).includes(called.toLowerCase()))
}

/** What is wrong with a rule that names a source and would fit no mail. Null: nothing. Without a file nobody knows what the other machines have. */
export const sourceTrouble = (called: string | undefined, settings: SourceSettings | null): string | null =>
  called === undefined || !settings || sourceCalled(called, settings.sources)
    ? null
    : '`source` must be a source of POSTWREN_SOURCES, by its name or its address'

export type Stream = 'single' | 'broadcast'

/** Which pool mail goes by. All that it names must fit; one that names nothing fits everything. */
export interface SourceRule {
  readonly team?: string
  /** Of the sender. */
  readonly domain?: string
  readonly stream?: Stream
  /** Of a tag without a value any one fits. */
  readonly tag?: { readonly name: string; readonly value: string | null }
  readonly pool: string
}

/** What the file of `POSTWREN_SOURCES` says. */
export interface SourceSettings {
  readonly sources: readonly Source[]
  readonly pools: readonly SourcePool[]
  /** The first that fits counts. */
  readonly rules: readonly SourceRule[]
  readonly defaultPool: string
  /** The sending domains that providers are to get to know slowly. */
  readonly warmUpDomains: 'all' | readonly string[]
}

/** What of a mail decides where it leaves from. */
export interface SourcedMail {
  readonly team: string
  /** Of the sender. */
  readonly domain: string
  readonly stream: Stream
  readonly tags: readonly { readonly name: string; readonly value: string }[]
}

export function poolFor({ rules, pools, defaultPool }: SourceSettings, mail: SourcedMail): SourcePool {
  const name = rules.find((rule) => fits(rule, mail))?.pool ?? defaultPool
  return pools.find((pool) => pool.name === name)!
}

const fits = (rule: SourceRule, mail: SourcedMail) =>
  (rule.team === undefined || rule.team === mail.team) &&
  (rule.domain === undefined || rule.domain === mail.domain) &&
  (rule.stream === undefined || rule.stream === mail.stream) &&
  (rule.tag === undefined || mail.tags.some((tag) => isTag(rule.tag!, tag)))

const isTag = (wanted: NonNullable<SourceRule['tag']>, { name, value }: { name: string; value: string }) =>
  wanted.name === name && (wanted.value === null || wanted.value === value)

export const warmsUpDomain = ({ warmUpDomains }: SourceSettings, domain: string) =>
  warmUpDomains === 'all' || warmUpDomains.includes(domain)

/**
 * The sources of a pool in the order in which a mail prefers them, by weighted rendezvous hashing: whoever asks gets the same order, so that
 * a mail that is tried again comes from the address that it came from before, as greylisting wants it, and processes agree on whose it is.
 * One that cannot take it leaves the order of the others as it is, so what it cannot take is shared by their weights, too.
 */
export function preferenceOf({ members }: SourcePool, key: string): string[] {
  if (members.length === 1) return [members[0]!.source]
  return members
    .map(({ source, weight }) => ({
      source,
      weight,
      score: weight === 0 ? 0 : -Math.log(unitOf(`${key} ${source}`)) / weight,
    }))
    .sort((a, b) => Number(a.weight === 0) - Number(b.weight === 0) || a.score - b.score)
    .map(({ source }) => source)
}

/** A number above 0 and up to 1 that looks random (FNV-1a, with the last steps of Murmur 3: names that end alike differ all the same). */
function unitOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (((hash ^ (hash >>> 16)) >>> 0) + 1) / 2 ** 32
}
