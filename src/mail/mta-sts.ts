import { toAsciiDomain } from './address.ts'

// MTA-STS (RFC 8461): what a domain says about the servers that take its mail, and whether they must prove who they are.

export const STS_MODES = ['enforce', 'testing', 'none'] as const
export type StsMode = (typeof STS_MODES)[number]

export interface StsPolicy {
  readonly mode: StsMode
  /** Names of mail servers, in ASCII; `*.` stands for one label. */
  readonly mx: readonly string[]
  readonly maxAgeSeconds: number
}

/** RFC 8461, 3.2: a year. */
const MAX_AGE_SECONDS = 31_557_600
/** A policy is kept in memory and compared with each server: nobody has so many kinds of servers. */
export const MAX_STS_PATTERNS = 64
const MAX_NAME_LENGTH = 255
/** Of a policy file, in characters: a name of 255 and all that may stand around it. */
const MAX_LINE_LENGTH = 1_000
const NAME = /^[A-Za-z0-9][\w.-]{0,31}$/

/** The id that the TXT records at `_mta-sts` say, which changes with the policy. Null: there is no policy, or more than one. */
export function readStsRecord(texts: readonly string[]): string | null {
  const records = texts.filter((text) => /^v=STSv1[ \t]*(?:;|$)/.test(text))
  if (records.length !== 1) return null
  const [, id] = /;[ \t]*id[ \t]*=[ \t]*([A-Za-z0-9]{1,32})[ \t]*(?:;|$)/.exec(records[0]!) ?? []
  return id ?? null
}

/** The policy that a file says, or what is wrong with it. */
export function readStsPolicy(text: string): StsPolicy | string {
  const fields = text.split('\n').flatMap((line) => fieldOf(line.slice(0, MAX_LINE_LENGTH)))
  // Of a field that is there twice, the first one counts.
  const first = (wanted: string) => fields.find(([name]) => name === wanted)?.[1]
  if (first('version') !== 'STSv1') return 'it has no `version: STSv1`'
  const mode = STS_MODES.find((one) => one === first('mode'))
  if (!mode) return 'it has no `mode` that is known'
  const age = first('max_age') ?? ''
  if (!/^\d{1,10}$/.test(age)) return 'it has no `max_age`'
  const mx = [...new Set(fields.filter(([name]) => name === 'mx').map(([, value]) => patternOf(value)))]
  if (mx.length > MAX_STS_PATTERNS) return `it has more than ${MAX_STS_PATTERNS} \`mx\``
  if (mode !== 'none' && mx.length === 0) return 'it has no `mx`'
  if (mx.some((pattern) => !isPattern(pattern))) return 'one `mx` is no name of a host'
  return { mode, mx, maxAgeSeconds: Math.min(Number(age), MAX_AGE_SECONDS) }
}

/** No expression reads the value: whoever serves the file could make it try the same spaces in every way there is. */
function fieldOf(line: string): readonly [name: string, value: string][] {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(0, colon)).trim()
  return NAME.test(name) ? [[name, line.slice(colon + 1).trim()]] : []
}

/** Names are compared as they are in the DNS, however they were written. */
const patternOf = (text: string) =>
  (text.startsWith('*.') ? `*.${toAsciiDomain(text.slice(2))}` : toAsciiDomain(text)).replace(/\.$/, '')

const isPattern = (pattern: string) =>
  pattern.length <= MAX_NAME_LENGTH && /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(pattern)

/** Whether a mail server is one that the policy names. */
export function isNamedBy({ mx }: Pick<StsPolicy, 'mx'>, host: string): boolean {
  const name = toAsciiDomain(host).replace(/\.$/, '')
  const above = name.slice(name.indexOf('.') + 1)
  return mx.some((pattern) =>
    pattern.startsWith('*.') ? name.indexOf('.') > 0 && above === pattern.slice(2) : name === pattern,
  )
}

/** As the file is served. */
export const writeStsPolicy = ({ mode, mx, maxAgeSeconds }: StsPolicy): string =>
  ['version: STSv1', `mode: ${mode}`, ...mx.map((name) => `mx: ${name}`), `max_age: ${maxAgeSeconds}`, ''].join('\r\n')
