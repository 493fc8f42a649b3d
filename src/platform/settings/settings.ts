import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import type { CeilingRule } from '../../mail/providers/ceilings.ts'
import type { RouteTable } from '../../mail/routes/routes.ts'
import type { SourceAddresses, SourceSettings } from '../../mail/sources/sources.ts'
import { type AttemptSink, readAttemptSink } from './attempts-setting.ts'
import { readCeilings } from './ceilings-setting.ts'
import { serversOf } from './database-servers.ts'
import { type OidcProvider, readOidcProviders } from './oidc-setting.ts'
import { readRoutes } from './routes-setting.ts'
import { addressesIn, readSources } from './sources-setting.ts'

// The kinds of settings. Each knows its default, how to read its text, and how to say what it expects.

/** A wrong setting: one clear line that names it, and the process exits with 1. */
export class SettingError extends Error {}

export interface Described<Value> {
  readonly description: string
  readonly default: string | undefined
  /** Never shown, and can be read from a file: `POSTWREN_<NAME>_FILE`. */
  readonly isSecret: boolean
  /** Its password is what is secret about it. */
  readonly isUrl: boolean
  /** `environment`: for what is named in a file. */
  parse(text: string | undefined, environment?: NodeJS.ProcessEnv): Value
}

export type Parsed<Setting> = Setting extends Described<infer Value> ? Value : never

interface Undescribed<Value> {
  describe(description: string, marks?: { isSecret?: boolean }): Described<Value>
}

function setting<Value>(
  fallback: string | undefined,
  read: (text: string, environment: NodeJS.ProcessEnv) => Value,
  { isUrl = false } = {},
): Undescribed<Value> {
  return {
    describe: (description, { isSecret = false } = {}) => ({
      description,
      default: fallback,
      isSecret,
      isUrl,
      parse: (text, environment = {}) => read((text ?? fallback) as string, environment),
    }),
  }
}

/** Reads the text, or gives undefined when the setting is unset and has no default. */
const optional =
  <Value>(read: (text: string) => Value) =>
  (text: string | undefined) =>
    text === undefined ? undefined : read(text)

export function integer(rule: { default: number; min: number; max: number }): Undescribed<number>
export function integer(rule: { min: number; max: number }): Undescribed<number | undefined>
export function integer(rule: { default?: number; min: number; max: number }): Undescribed<number | undefined> {
  return setting(
    rule.default?.toString(),
    optional((text) => {
      const value = Number(text)
      if (!Number.isInteger(value) || value < rule.min || value > rule.max)
        throw new Error(`must be a whole number from ${rule.min} to ${rule.max}, not \`${text}\``)
      return value
    }),
  )
}

/** A part of a whole, from 0 to 1. */
export function fraction(rule: { default: number }): Undescribed<number> {
  return setting(String(rule.default), (text) => {
    const value = Number(text)
    if (!(value >= 0 && value <= 1)) throw new Error(`must be a number from 0 to 1, not \`${text}\``)
    return value
  })
}

/** A number of processes; `auto` is one for each core that this process may use. */
export function processes(rule: { default: number; max: number }): Undescribed<number> {
  return setting(String(rule.default), (text) => {
    if (text === 'auto') return Math.min(availableParallelism(), rule.max)
    const value = Number(text)
    if (!Number.isInteger(value) || value < 1 || value > rule.max)
      throw new Error(`must be \`auto\` or a whole number from 1 to ${rule.max}, not \`${text}\``)
    return value
  })
}

export function text(rule: { default: string }): Undescribed<string>
export function text(rule: { pattern: RegExp; expected: string }): Undescribed<string | undefined>
export function text(rule: { default?: string; pattern?: RegExp; expected?: string }): Undescribed<string | undefined> {
  return setting(
    rule.default,
    optional((value) => {
      // The value is not repeated in the message: settings of this kind can be secrets.
      if (rule.pattern && !rule.pattern.test(value)) throw new Error(`must ${rule.expected}`)
      return value
    }),
  )
}

export function url(rule: { protocols: string[] }): Undescribed<string | undefined> {
  return setting(
    undefined,
    optional((value) => {
      if (!URL.canParse(value) || !rule.protocols.includes(new URL(value).protocol))
        throw new Error(
          `must be a URL that starts with ${rule.protocols.map((protocol) => `\`${protocol}//\``).join(' or ')}`,
        )
      return value
    }),
    { isUrl: true },
  )
}

/** A PostgreSQL, which may be several hosts of which one is right. */
export function databaseUrl(): Undescribed<string | undefined> {
  return setting(
    undefined,
    optional((value) => {
      serversOf({ connectionString: value })
      return value
    }),
    { isUrl: true },
  )
}

/** None unless there is a text. */
export const oidcProviders = (): Undescribed<readonly OidcProvider[]> =>
  setting(undefined, (text: string | undefined) => (text === undefined ? [] : readOidcProviders(text)))

/** None unless there is a file. */
export const ceilingRules = (): Described<readonly CeilingRule[]> =>
  setting(undefined, (path: string | undefined) => (path === undefined ? [] : readCeilings(path))).describe(
    'A JSON file with the most that providers, sites, domains and sources get: connections, messages for each connection, rates, TLS and timeouts. docs/operations/delivery.md has its keys.',
  )

/** Null unless there is a file. */
export const routeTable = (): Described<RouteTable | null> =>
  setting(undefined, (path: string | undefined, environment) =>
    path === undefined ? null : readRoutes(path, environment),
  ).describe(
    'A JSON file with the ways that mail can leave by (direct, relays, Amazon SES, APIs like this one), and rules that say which mail takes which, and which comes next when one fails. Unset: `POSTWREN_DELIVERY` is the only one. docs/operations/routes.md has its keys.',
  )
/** Where records of attempts go. */
export const attemptSink = (): Undescribed<AttemptSink> => setting('off', readAttemptSink)

export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  rule: { default: NoInfer<Choice> },
): Undescribed<Choice> {
  return setting(rule.default, (value) => {
    if (!choices.includes(value as Choice)) throw new Error(`must be one of ${choices.join(', ')}, not \`${value}\``)
    return value as Choice
  })
}

export function listOf<const Choice extends string>(
  choices: readonly Choice[],
  rule: { default: string },
): Undescribed<readonly Choice[]> {
  return setting(rule.default, (value) => {
    if (value === 'all') return choices
    const names = value.split(',').map((name) => name.trim())
    const wrong = names.find((name) => !choices.includes(name as Choice))
    if (wrong !== undefined) throw new Error(`must be \`all\` or some of ${choices.join(',')}, not \`${wrong}\``)
    return names as Choice[]
  })
}

const RANGE_NAMES = ['loopback', 'linklocal', 'uniquelocal']

/** Addresses and networks; `none` for no address at all. */
export function addressRanges(rule: { default: string }): Undescribed<readonly string[]> {
  return setting(rule.default, (value) => {
    if (value === 'none') return []
    const ranges = value.split(',').map((range) => range.trim())
    const wrong = ranges.find((range) => !RANGE_NAMES.includes(range) && !isRange(range))
    if (wrong !== undefined)
      throw new Error(
        `must be \`none\`, or addresses and networks like \`192.0.2.1,10.0.0.0/8\` and ${RANGE_NAMES.join(', ')}, not \`${wrong}\``,
      )
    return ranges
  })
}

function isRange(text: string): boolean {
  const [, address = '', bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const family = isIP(address)
  // A network of everybody would let everybody say who they are.
  return family !== 0 && (bits === undefined || (Number(bits) > 0 && Number(bits) <= (family === 4 ? 32 : 128)))
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

function secondsOf(text: string): number | null {
  const match = /^(\d+)\s*([smhd])$/.exec(text)
  return match && Number(match[1]) * UNITS[match[2]!]!
}

/** In seconds. `min` and `max` are durations, too. */
export function duration(rule: { default: string; min?: string; max?: string }): Undescribed<number> {
  const { min = '0s', max } = rule
  return setting(rule.default, (value) => {
    const seconds = secondsOf(value)
    if (seconds === null) throw new Error(`must be a number with a unit, like \`12h\` or \`30d\`, not \`${value}\``)
    if (seconds < secondsOf(min)! || (max !== undefined && seconds > secondsOf(max)!))
      throw new Error(`must be from ${min} to ${max}, not \`${value}\``)
    return seconds
  })
}

/** How long something is kept, in seconds. `forever` is infinite. */
export function retention(rule: { default: string }): Undescribed<number> {
  return setting(rule.default, (value) => {
    const seconds = retentionSeconds(value)
    if (seconds === null)
      throw new Error(`must be \`forever\` or a number with a unit, like \`12h\` or \`30d\`, not \`${value}\``)
    return seconds
  })
}

/** A hundred years: what is longer is kept for ever, and says so. */
const MAX_RETENTION_SECONDS = 36_500 * 86_400

/** Null: it is no such text. */
export function retentionSeconds(text: string): number | null {
  if (text === 'forever') return Number.POSITIVE_INFINITY
  const seconds = secondsOf(text)
  return seconds !== null && seconds <= MAX_RETENTION_SECONDS ? seconds : null
}

/** As it is written in settings, in the largest unit that fits. */
export function retentionText(seconds: number): string {
  if (seconds === Number.POSITIVE_INFINITY) return 'forever'
  const [unit, size] = Object.entries(UNITS)
    .reverse()
    .find(([, size]) => seconds % size === 0)!
  return `${seconds / size}${unit}`
}

/** Each in seconds. */
export function durations(rule: { default: string; maxCount: number; min: string; max: string }) {
  const one = duration({ ...rule, default: rule.min }).describe('')
  return setting(rule.default, (value): readonly number[] => {
    const texts = value.split(',').map((text) => text.trim())
    if (texts.length > rule.maxCount) throw new Error(`must have at most ${rule.maxCount} durations`)
    return texts.map((text) => one.parse(text))
  })
}

/** Of this machine: an IPv4 address, an IPv6 address, or one of each. Without any: as the system chooses. */
export const sourceAddresses = (): Undescribed<SourceAddresses> =>
  setting(undefined, (text: string | undefined) => (text === undefined ? {} : addressesIn(text)))

/** Null unless there is a file. */
export const sourceSettings = (): Described<SourceSettings | null> =>
  setting(undefined, (path: string | undefined) => (path === undefined ? null : readSources(path))).describe(
    'A JSON file with the addresses that mail is sent from, their EHLO names, pools of them, and which mail goes by which pool. docs/operations/sources.md has its keys. `POSTWREN_SOURCE_ADDRESS` is unset then.',
  )

export type { SourceAddresses }
