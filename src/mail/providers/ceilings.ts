import { PROVIDERS } from './providers.ts'

/** The most that a destination gets of us. Times are in seconds, as the rate is messages in a second. */
export interface Ceilings {
  readonly connections: number
  readonly messages_per_connection: number
  /** Null: there is none. */
  readonly rate: number | null
  /** `enforced`: nothing is said before the session is encrypted and the server has proved its name. */
  readonly tls: 'opportunistic' | 'enforced'
  readonly connect_timeout: number
  readonly greeting_timeout: number
  readonly command_timeout: number
  /** For the answer to the message. */
  readonly message_timeout: number
}

export type CeilingKey = keyof Ceilings

/** What a rule is about. All that it names must fit; one that names nothing fits everything. */
export interface CeilingScope {
  readonly provider?: string | undefined
  /** The names of the mail servers that are asked first, with spaces between; `relay` for the relay. */
  readonly site?: string | undefined
  /** Of the recipients. */
  readonly domain?: string | undefined
  /** The address that mail leaves from. */
  readonly source?: string | undefined
}

/** Where a rule comes from; the later one counts among those that are about the same. */
export type CeilingOrigin = 'setting' | 'built in' | 'file' | 'database'

export interface CeilingRule {
  readonly scope: CeilingScope
  readonly values: Partial<Ceilings>
  readonly origin: CeilingOrigin
  /** In words, by key where it has lines: `/etc/postwren/ceilings.json:12`. */
  whereIs(key: CeilingKey | keyof CeilingScope): string
}

/** A value, and which rule has said so. */
export interface Binding<Value> {
  readonly value: Value
  readonly origin: CeilingOrigin
  /** `everything`, `provider gmail`, `provider gmail, source 192.0.2.1`. */
  readonly layer: string
  readonly where: string
  /** Whether the rule is about one source. */
  readonly isOfSource: boolean
}

export type BoundCeilings = { readonly [Key in CeilingKey]: Binding<Ceilings[Key]> }

const SCOPE_KEYS = ['provider', 'site', 'domain', 'source'] as const
const ORIGINS: readonly CeilingOrigin[] = ['setting', 'built in', 'file', 'database']

const builtIn = (scope: CeilingScope, values: Partial<Ceilings>): CeilingRule => ({
  scope,
  values,
  origin: 'built in',
  whereIs: () => 'built in',
})

/** What holds where nobody has said anything else. As in `TIMEOUTS` of the SMTP client. */
const EVERYTHING = builtIn(
  {},
  {
    messages_per_connection: 100,
    rate: null,
    tls: 'opportunistic',
    connect_timeout: 30,
    greeting_timeout: 30,
    command_timeout: 120,
    message_timeout: 600,
  },
)

/**
 * What providers are known to bear from an address that they do not know yet. None of them publishes a rate: that is found out.
 * Yahoo ends a connection after 20 messages without a word.
 */
const OF_PROVIDERS: Readonly<Record<string, Partial<Ceilings>>> = {
  gmail: { connections: 5, messages_per_connection: 50 },
  outlook: { connections: 5, messages_per_connection: 50 },
  yahoo: { connections: 5, messages_per_connection: 20 },
  icloud: { connections: 5, messages_per_connection: 10 },
}

/** The rules that come with the program. A provider gets no more connections than the setting gives to anybody. */
export function builtInRules(connectionsSetting: number): CeilingRule[] {
  const ofSetting: CeilingRule = {
    scope: {},
    values: { connections: connectionsSetting },
    origin: 'setting',
    whereIs: () => 'POSTWREN_DESTINATION_CONNECTIONS',
  }
  const ofProviders = PROVIDERS.flatMap(({ name }) => {
    const values = OF_PROVIDERS[name]
    if (!values) return []
    const connections = Math.min(values.connections ?? connectionsSetting, connectionsSetting)
    return [builtIn({ provider: name }, { ...values, connections })]
  })
  return [ofSetting, EVERYTHING, ...ofProviders]
}

/** A source says more than a domain, that more than a site, and a site more than its provider; two of them more than one. */
const weightOf = (scope: CeilingScope) =>
  SCOPE_KEYS.reduce((sum, key, index) => sum + (scope[key] === undefined ? 0 : 2 ** index), 0)

const fits = (rule: CeilingScope, scope: CeilingScope) =>
  SCOPE_KEYS.every((key) => rule[key] === undefined || rule[key] === scope[key])

export const layerOf = (scope: CeilingScope) =>
  SCOPE_KEYS.flatMap((key) => (scope[key] === undefined ? [] : [`${key} ${scope[key]}`])).join(', ') || 'everything'

/** All rules that are about it: a later one counts more, by how specific it is, and among equals by when it was made. */
export const layersFor = (rules: readonly CeilingRule[], scope: CeilingScope): CeilingRule[] =>
  rules
    .filter((rule) => fits(rule.scope, scope))
    .map((rule) => ({ rule, weight: weightOf(rule.scope), origin: ORIGINS.indexOf(rule.origin) }))
    .sort((a, b) => a.weight - b.weight || a.origin - b.origin)
    .map(({ rule }) => rule)

/** The same, merged: each value is that of the last one that has it. */
export function ceilingsFor(rules: readonly CeilingRule[], scope: CeilingScope): BoundCeilings {
  const bound: Partial<Record<CeilingKey, Binding<unknown>>> = {}
  for (const rule of layersFor(rules, scope))
    for (const [key, value] of Object.entries(rule.values) as [CeilingKey, unknown][])
      bound[key] = {
        value,
        origin: rule.origin,
        layer: layerOf(rule.scope),
        where: rule.whereIs(key),
        isOfSource: rule.scope.source !== undefined,
      }
  return bound as BoundCeilings
}
