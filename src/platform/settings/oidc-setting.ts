import { readFileSync } from 'node:fs'
import { isLoopback } from './loopback.ts'

/** A provider of the setting `POSTWREN_OIDC`. */
export interface OidcProvider {
  /** Part of the addresses of its sign-in. */
  readonly id: string
  /** What the button says. */
  readonly name: string
  readonly issuer: string
  readonly client_id: string
  /** Absent: a public client, which proves itself by PKCE alone. */
  readonly client_secret?: string
  readonly scopes: readonly string[]
  /** Whoever has a verified address at one of these joins the team. */
  readonly domains?: readonly string[]
  /** Whoever is in one of these joins the team; with `domains`, both must hold. */
  readonly groups?: readonly string[]
  readonly groups_claim: string
  /** Takes addresses for verified, also where the provider does not say so. */
  readonly trust_email: boolean
  /** The team that they join, by name. Absent: the first one. */
  readonly team?: string
  readonly role: string
}

type Fields = Record<string, unknown>

/** How each field is read. One that is not here is a slip of the pen, and could be the one that restricts access. */
const FIELDS: Record<keyof OidcProvider, (value: unknown, name: string) => unknown> = {
  id: matching(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'small letters, digits, `-` or `_`, up to 40 of them'),
  name: text,
  issuer,
  client_id: text,
  client_secret: text,
  scopes: texts,
  domains: (value, name) => texts(value, name).map((domain) => domain.toLowerCase().replace(/^@/, '')),
  groups: texts,
  groups_claim: text,
  trust_email: truth,
  team: text,
  role: text,
}

const NEEDED = ['id', 'issuer', 'client_id'] as const

/** The providers: a JSON array, or the path of a file with one. Errors do not repeat the value: secrets are part of it. */
export function readOidcProviders(setting: string): readonly OidcProvider[] {
  const given = parse(setting.startsWith('[') ? setting : readFile(setting))
  if (!Array.isArray(given)) throw new Error('must be a JSON array of providers, or the path of a file with one')
  const providers = given.map(readProvider)
  const twice = providers.find(({ id }, index) => providers.findIndex((one) => one.id === id) < index)
  if (twice) throw new Error(`has two providers with the id \`${twice.id}\``)
  return providers
}

function readProvider(given: unknown, index: number): OidcProvider {
  const context = `in provider ${index + 1}`
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Error(`${context} must be an object`)
  for (const name of NEEDED)
    if ((given as Fields)[name] === undefined) throw new Error(`${context} needs the field \`${name}\``)
  const read = Object.entries(given).map(([name, value]) => {
    if (!Object.hasOwn(FIELDS, name)) throw new Error(`${context} has an unknown field: \`${name}\``)
    try {
      return [name, FIELDS[name as keyof OidcProvider](value, name)]
    } catch (error) {
      throw new Error(`${context} ${(error as Error).message}`)
    }
  })
  const fields = Object.fromEntries(read) as Partial<OidcProvider> & Pick<OidcProvider, (typeof NEEDED)[number]>
  const { groups, domains } = fields
  if ((fields.team !== undefined || fields.role !== undefined) && !groups && !domains)
    throw new Error(`${context} has a team but no members: add \`domains\` or \`groups\``)
  return {
    name: fields.id,
    scopes: ['openid', 'email', 'profile'],
    groups_claim: 'groups',
    trust_email: false,
    role: 'viewer',
    ...fields,
  }
}

function text(value: unknown, name: string): string {
  if (typeof value !== 'string' || value.trim() === '') throw new Error(`must have a text as \`${name}\``)
  return value
}

function texts(value: unknown, name: string): string[] {
  if (!Array.isArray(value) || value.length === 0) throw new Error(`must have a list of texts as \`${name}\``)
  return value.map((one) => text(one, name))
}

function truth(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw new Error(`must have true or false as \`${name}\``)
  return value
}

function matching(pattern: RegExp, expected: string) {
  return (value: unknown, name: string): string => {
    if (!pattern.test(text(value, name))) throw new Error(`must have ${expected} as \`${name}\``)
    return value as string
  }
}

/** What is said about people must not be changed on its way. On this machine nobody is between. */
function issuer(value: unknown, name: string): string {
  const url = URL.canParse(text(value, name)) ? new URL(value as string) : null
  const isHere = url !== null && isLoopback(url.hostname.replace(/^\[|\]$/g, ''))
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)
  if (!isSafe || url?.search || url?.hash || url?.username)
    throw new Error(`must have an address that begins with \`https://\` as \`${name}\``)
  return value as string
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(
      `must be a JSON array of providers, or the path of a file with one that can be read (${(error as NodeJS.ErrnoException).code})`,
    )
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new Error('must be JSON: an array of providers')
  }
}
