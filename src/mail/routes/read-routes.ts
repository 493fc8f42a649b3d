import { isDomain, toAsciiDomain } from '../address.ts'
import { JsonTrouble, type Located, parseWithLines } from '../providers/json-lines.ts'
import { isProvider, PROVIDERS } from '../providers/providers.ts'
import {
  ROUTE_KINDS,
  type RouteConditions,
  type RouteDefinition,
  type RouteKind,
  type RouteRule,
  type RouteTable,
  STREAMS,
  type Stream,
} from './routes.ts'

/** What the file may name besides itself. */
export interface SecretSources {
  /** The value of an environment variable; undefined: it is not set. */
  variable(name: string): string | undefined
  /** The content of a file. Throws why it cannot be read. */
  file(path: string): string
}

const MAX_ROUTES = 20
const MAX_RULES = 1_000
const MAX_CONNECTIONS = 1_000
const MAX_WEIGHT = 1_000_000
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

type Fields = ReadonlyMap<string, Located>
type Fail = (line: number, message: string) => Error

/** The routes and rules of a file. Throws one line that names file, line and key. No message repeats a value: it could be a secret. */
export function readRouteFile(path: string, text: string, secrets: SecretSources): RouteTable {
  const fail: Fail = (line, message) => new Error(`has a mistake in ${path}:${line}: ${message}`)
  let root: Located
  try {
    root = parseWithLines(text)
  } catch (error) {
    if (error instanceof JsonTrouble) throw fail(error.line, error.message)
    throw error
  }
  const file = new Entry(root, fail, secrets)
  const routes = file.list('routes', MAX_ROUTES).map(readRoute)
  if (routes.length === 0) throw fail(root.line, '`routes` names no route')
  for (const [index, { name, line }] of routes.entries())
    if (routes.findIndex((one) => one.name === name) < index) throw fail(line, `\`name\` ${name} is there twice`)
  const names = routes.map(({ name }) => name)
  const rules = file.has('rules') ? file.list('rules', MAX_RULES).map((entry) => readRule(entry, names)) : []
  file.end()
  return { routes: routes.map(({ line: _line, ...route }) => route), rules }
}

/** An object of the file. What nobody has asked for in the end is not known. */
class Entry {
  readonly line: number
  readonly #fields: Fields
  readonly #asked = new Set<string>()
  readonly #fail: Fail
  readonly #secrets: SecretSources

  constructor({ line, value }: Located, fail: Fail, secrets: SecretSources) {
    if (!(value instanceof Map)) throw fail(line, 'it must be an object')
    this.line = line
    this.#fields = value
    this.#fail = fail
    this.#secrets = secrets
  }

  has(key: string): boolean {
    this.#asked.add(key)
    return this.#fields.has(key)
  }

  trouble(key: string, message: string): Error {
    return this.#fail(this.#fields.get(key)?.line ?? this.line, `\`${key}\` ${message}`)
  }

  list(key: string, max: number): Entry[] {
    return this.items(key, max).map((item) => new Entry(item, this.#fail, this.#secrets))
  }

  items(key: string, max: number): readonly Located[] {
    const value = this.#value(key)
    if (!Array.isArray(value)) throw this.trouble(key, 'must be an array')
    if (value.length > max) throw this.trouble(key, `has more than ${max} entries`)
    return value as readonly Located[]
  }

  entry(item: Located): Entry {
    return new Entry(item, this.#fail, this.#secrets)
  }

  /** Undefined: it is not there. */
  text(key: string): string | undefined {
    if (!this.has(key)) return undefined
    const value = this.#value(key)
    if (typeof value !== 'string' || value.trim() === '') throw this.trouble(key, 'must be a text')
    return this.#expanded(key, value.trim())
  }

  required(key: string): string {
    const value = this.text(key)
    if (value === undefined) throw this.trouble(key, 'is missing')
    return value
  }

  /** As itself, or in the file that `KEY_file` names. */
  secret(key: string): string | undefined {
    const [value, path] = [this.text(key), this.text(`${key}_file`)]
    if (value !== undefined && path !== undefined) throw this.trouble(`${key}_file`, `is there beside \`${key}\``)
    if (path === undefined) return value
    try {
      return this.#secrets.file(path).trim()
    } catch (error) {
      throw this.trouble(`${key}_file`, (error as Error).message)
    }
  }

  requiredSecret(key: string): string {
    const value = this.secret(key)
    if (value === undefined || value === '') throw this.trouble(key, `is missing: \`${key}\` or \`${key}_file\``)
    return value
  }

  wholeNumber(key: string, max: number): number | undefined {
    if (!this.has(key)) return undefined
    const value = this.#value(key)
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > max)
      throw this.trouble(key, `must be a whole number from 1 to ${max}`)
    return value
  }

  url(key: string, protocols: readonly string[]): URL | undefined {
    const text = this.text(key)
    if (text === undefined) return undefined
    const url = URL.canParse(text) ? new URL(text) : null
    if (!url || !protocols.includes(url.protocol) || url.hostname === '')
      throw this.trouble(key, `must be a URL that begins with ${protocols.map((one) => `\`${one}//\``).join(' or ')}`)
    return url
  }

  end() {
    for (const key of this.#fields.keys())
      if (!this.#asked.has(key)) throw this.trouble(key, `is not known; known are ${[...this.#asked].join(', ')}`)
  }

  #value(key: string) {
    this.#asked.add(key)
    const field = this.#fields.get(key)
    if (!field) throw this.trouble(key, 'is missing')
    return field.value
  }

  #expanded(key: string, text: string): string {
    return text.replace(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
      const value = this.#secrets.variable(name)
      if (value === undefined || value === '') throw this.trouble(key, `names ${name}, which is not set`)
      return value
    })
  }
}

type Read = RouteDefinition & { readonly line: number }

function readRoute(entry: Entry): Read {
  const name = entry.required('name')
  if (!NAME.test(name)) throw entry.trouble('name', 'must be up to 40 lower-case letters, digits and hyphens')
  // `postwren queue move --route none`
  if (name === 'none') throw entry.trouble('name', 'must not be `none`: that is what mail is moved to without a route')
  const kind = entry.required('kind')
  if (!ROUTE_KINDS.includes(kind as RouteKind)) throw entry.trouble('kind', `must be one of ${ROUTE_KINDS.join(', ')}`)
  const route = { ...READERS[kind as RouteKind](entry), name, line: entry.line } as Read
  entry.end()
  return route
}

const connectionsOf = (entry: Entry) => ({ connections: entry.wholeNumber('connections', MAX_CONNECTIONS) ?? null })

type OfKind<Kind extends RouteKind> = Omit<Extract<RouteDefinition, { kind: Kind }>, 'name'>

const READERS: { readonly [Kind in RouteKind]: (entry: Entry) => OfKind<Kind> } = {
  direct: () => ({ kind: 'direct' }),
  relay(entry) {
    const url = entry.url('url', ['smtp:', 'smtps:'])
    if (!url) throw entry.trouble('url', 'is missing')
    const password = entry.secret('password')
    if (password !== undefined && url.username === '')
      throw entry.trouble('url', 'has no user, and there is a password: `smtp://user@host:587`')
    if (password !== undefined) url.password = encodeURIComponent(password)
    return { kind: 'relay', url: url.href, ...connectionsOf(entry) }
  },
  ses(entry) {
    const region = entry.required('region')
    if (!/^[a-z]{2}(?:-[a-z]{2,12}){1,2}-\d$/.test(region))
      throw entry.trouble('region', 'must be the name of a region like `eu-west-1`')
    return {
      kind: 'ses',
      region,
      accessKeyId: entry.required('access_key_id'),
      secretAccessKey: entry.requiredSecret('secret_access_key'),
      sessionToken: entry.secret('session_token') ?? null,
      configurationSet: entry.text('configuration_set') ?? null,
      endpoint: withoutSlash(entry.url('endpoint', ['https:', 'http:'])),
      ...connectionsOf(entry),
    }
  },
  resend(entry) {
    const url = withoutSlash(entry.url('url', ['https:', 'http:']))
    if (url === null) throw entry.trouble('url', 'is missing')
    return { kind: 'resend', url, key: entry.requiredSecret('key'), ...connectionsOf(entry) }
  },
}

const withoutSlash = (url: URL | undefined) => (url ? `${url.origin}${url.pathname}`.replace(/\/+$/, '') : null)

function readRule(entry: Entry, names: readonly string[]): RouteRule {
  const conditions = readConditions(entry)
  const use = entry.items('use', MAX_ROUTES).map((item) => readUse(entry, item, names))
  if (use.length === 0) throw entry.trouble('use', 'names no route')
  for (const [index, { route }] of use.entries())
    if (use.findIndex((one) => one.route === route) < index) throw entry.trouble('use', `has ${route} twice`)
  entry.end()
  return { conditions, use }
}

function readUse(rule: Entry, item: Located, names: readonly string[]): RouteRule['use'][number] {
  const entry = typeof item.value === 'string' ? null : rule.entry(item)
  const route = entry ? entry.required('route') : (item.value as string)
  if (!names.includes(route))
    throw rule.trouble('use', `names a route that is not there; there are ${names.join(', ')}`)
  const weight = entry?.wholeNumber('weight', MAX_WEIGHT) ?? 0
  entry?.end()
  return { route, weight }
}

function readConditions(entry: Entry): RouteConditions {
  const [team, provider, tag, stream] = (['team', 'provider', 'tag', 'stream'] as const).map((key) => entry.text(key))
  if (team !== undefined && !ID.test(team)) throw entry.trouble('team', 'must be the id of a team')
  if (provider !== undefined && !isProvider(provider))
    throw entry.trouble('provider', `must be one of ${PROVIDERS.map((one) => one.name).join(', ')}`)
  if (stream !== undefined && !STREAMS.includes(stream as Stream))
    throw entry.trouble('stream', `must be one of ${STREAMS.join(', ')}`)
  const [fromDomain, domain] = (['from_domain', 'domain'] as const).map((key) => readDomain(entry, key))
  return {
    ...(team !== undefined && { team: team.toLowerCase() }),
    ...(fromDomain !== undefined && { from_domain: fromDomain }),
    ...(domain !== undefined && { domain }),
    ...(provider !== undefined && { provider }),
    ...(tag !== undefined && { tag: tagOf(tag) }),
    ...(stream !== undefined && { stream: stream as Stream }),
  }
}

function readDomain(entry: Entry, key: string): string | undefined {
  const text = entry.text(key)
  if (text === undefined) return undefined
  const domain = toAsciiDomain(text.replace(/^@/, '').replace(/\.$/, '')).toLowerCase()
  if (!isDomain(domain)) throw entry.trouble(key, 'must be a domain')
  return domain
}

/** `name`, or `name=value`. */
function tagOf(text: string): NonNullable<RouteConditions['tag']> {
  const at = text.indexOf('=')
  return at < 0 ? { name: text, value: null } : { name: text.slice(0, at), value: text.slice(at + 1) }
}
