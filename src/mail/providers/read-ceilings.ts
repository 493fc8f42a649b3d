import { isDomain } from '../address.ts'
import type { CeilingKey, CeilingRule, CeilingScope, Ceilings } from './ceilings.ts'
import { JsonTrouble, type Located, parseWithLines } from './json-lines.ts'
import { isProvider, PROVIDERS } from './providers.ts'

type Scalar = string | number | boolean | null
type Read<Value> = (value: Scalar) => Value

const SECONDS_OF: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }
const MAX_RATE = 100_000

function rate(value: Scalar): number | null {
  if (value === 'none') return null
  const [, count, unit] = /^(\d{1,9}(?:\.\d{1,3})?)\/([smhd])$/.exec(String(value)) ?? []
  const perSecond = Number(count) / SECONDS_OF[unit ?? '']!
  if (!(perSecond > 0 && perSecond <= MAX_RATE))
    throw new Error('must be a number of messages in a second, minute, hour or day as `600/h`, or `none`')
  return perSecond
}

const wholeNumber =
  (max: number): Read<number> =>
  (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > max)
      throw new Error(`must be a whole number from 1 to ${max}`)
    return value
  }

const seconds =
  (min: number, max: number): Read<number> =>
  (value) => {
    const [, count, unit] = /^(\d{1,5})([smh])$/.exec(String(value)) ?? []
    const length = Number(count) * SECONDS_OF[unit ?? '']!
    if (!(length >= min && length <= max))
      throw new Error(`must be a time from ${min}s to ${max}s, as \`30s\` or \`2m\``)
    return length
  }

function tls(value: Scalar): Ceilings['tls'] {
  if (value !== 'opportunistic' && value !== 'enforced') throw new Error('must be `opportunistic` or `enforced`')
  return value
}

/** Who gives up on the answer to a message within less sends it twice (RFC 5321, section 4.5.3.2). */
const MIN_MESSAGE_TIMEOUT = 60

const VALUES: { readonly [Key in CeilingKey]: Read<Ceilings[Key]> } = {
  connections: wholeNumber(1_000),
  messages_per_connection: wholeNumber(10_000),
  rate,
  tls,
  connect_timeout: seconds(1, 300),
  greeting_timeout: seconds(1, 600),
  command_timeout: seconds(1, 600),
  message_timeout: seconds(MIN_MESSAGE_TIMEOUT, 3_600),
}

const name =
  (what: string): Read<string> =>
  (value) => {
    if (typeof value !== 'string' || value.trim() === '' || value.length > 500) throw new Error(`must be ${what}`)
    return value.trim().toLowerCase().replace(/\.$/, '')
  }

function provider(value: Scalar): string {
  if (typeof value !== 'string' || !isProvider(value))
    throw new Error(`must be one of ${PROVIDERS.map((one) => one.name).join(', ')}`)
  return value
}

/** Patterns and lists would be rules that fit nothing, and nobody would be told. */
function site(value: Scalar): string {
  const what = 'the name of a mail server, or of several with spaces between'
  const text = name(what)(value)
  if (/[*?@,;]/.test(text)) throw new Error(`must be ${what}`)
  return text
}

function domain(value: Scalar): string {
  const what = 'a domain like `example.com`'
  const text = name(what)(value).replace(/^@/, '')
  if (!isDomain(text)) throw new Error(`must be ${what}`)
  return text
}

const SCOPES: { readonly [Key in keyof CeilingScope]-?: Read<string> } = {
  provider,
  site,
  domain,
  source: name('a source, by its name or its address'),
}

const KNOWN = [...Object.keys(SCOPES), ...Object.keys(VALUES)]

/** The scope and the values of a rule, as `[key, value]`. Throws what is wrong with which key, by `trouble`. */
function readFields(fields: Iterable<[string, Scalar]>, trouble: (key: string, message: string) => Error) {
  const scope: Record<string, string> = {}
  const values: Record<string, unknown> = {}
  for (const [key, value] of fields) {
    const isScope = Object.hasOwn(SCOPES, key)
    if (!isScope && !Object.hasOwn(VALUES, key)) throw trouble(key, `is not known; known are ${KNOWN.join(', ')}`)
    try {
      if (isScope) scope[key] = SCOPES[key as keyof CeilingScope](value)
      else values[key] = VALUES[key as CeilingKey](value)
    } catch (error) {
      throw trouble(key, (error as Error).message)
    }
  }
  return { scope: scope as CeilingScope, values: values as Partial<Ceilings> }
}

/** A rule that is kept in the database: its columns, its values as JSON, and which row it is. */
export function readRule(
  scope: Record<string, string | null>,
  values: Record<string, Scalar>,
  row?: string,
): CeilingRule {
  const given = Object.entries(scope).filter((field): field is [string, string] => field[1] !== null)
  const trouble = (key: string, message: string) => new Error(`\`${key}\` ${message}`)
  return {
    ...readFields([...given, ...Object.entries(values)], trouble),
    origin: 'database',
    whereIs: () => (row === undefined ? 'database' : `database, row ${row}`),
  }
}

/** The rules of a file: a JSON array of objects. Throws one line that names file, line and key. */
export function readCeilingFile(path: string, text: string): CeilingRule[] {
  const fail = (line: number, message: string) => new Error(`has a mistake in ${path}:${line}: ${message}`)
  let root: Located
  try {
    root = parseWithLines(text)
  } catch (error) {
    if (error instanceof JsonTrouble) throw fail(error.line, error.message)
    throw error
  }
  if (!Array.isArray(root.value)) throw fail(root.line, 'it must be an array of objects')
  const lineOf = new Map<string, number>()
  return root.value.map((item: Located) => {
    if (!(item.value instanceof Map)) throw fail(item.line, 'it must be an object')
    const fields = item.value as ReadonlyMap<string, Located>
    const trouble = (key: string, message: string) => fail(fields.get(key)!.line, `\`${key}\` ${message}`)
    const scalars = [...fields].map(([key, { value }]): [string, Scalar] => {
      if (typeof value === 'object' && value !== null) throw trouble(key, 'must be a text or a number')
      return [key, value]
    })
    const rule = readFields(scalars, trouble)
    if (Object.keys(rule.values).length === 0) throw fail(item.line, 'it says nothing: no ceiling is named')
    for (const key of Object.keys(rule.values)) {
      const named = JSON.stringify([key, ...Object.entries(rule.scope).sort()])
      const known = lineOf.get(named)
      const { line } = fields.get(key)!
      if (known !== undefined) throw fail(line, `\`${key}\` is there twice for the same: also in line ${known}`)
      lineOf.set(named, line)
    }
    return {
      ...rule,
      origin: 'file',
      whereIs: (key: CeilingKey | keyof CeilingScope) => `${path}:${fields.get(key)!.line}`,
    }
  })
}
