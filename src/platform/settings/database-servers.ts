import type pg from 'pg'

/** Which of several servers is the right one, as libpq says it. Postwren writes, so its other values are of no use here. */
const SESSION_ATTRIBUTES = ['any', 'read-write', 'primary'] as const
export type ServerAttributes = (typeof SESSION_ATTRIBUTES)[number]

export interface Servers {
  /** In the order in which they are tried; each is what `pg` takes. */
  readonly hosts: readonly pg.ClientConfig[]
  readonly wanted: ServerAttributes
  /** For each of them. */
  readonly connectMs: number | null
}

const URL_WITH_HOSTS = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/is

/** `pg` knows one host; `postgres://user:password@one:5432,two:5433/name` has several, with or without ports. */
export function serversOf(config: pg.ClientConfig): Servers {
  const { connectionString } = config
  if (connectionString === undefined) return { hosts: [config], wanted: 'any', connectMs: null }
  const [, protocol, credentials = '', authority, rest] = URL_WITH_HOSTS.exec(connectionString) ?? []
  if (authority === undefined) throw new Error('must be a URL that starts with `postgres://` or `postgresql://`')
  const urls = authority.split(',').map((host) => `${protocol}${credentials}${host}${rest}`)
  const parameters = new URLSearchParams(/\?([^#]*)/.exec(rest!)?.[1])
  for (const url of urls) requireUrl(url, urls.length)
  return {
    hosts: urls.map((url) => ({ ...config, connectionString: url })),
    wanted: wantedOf(parameters.get('target_session_attrs'), urls.length),
    connectMs: connectMsOf(parameters.get('connect_timeout')),
  }
}

/** A URL without a host is one for the Unix socket. Nothing of it is repeated in the message: it has a password. */
function requireUrl(url: string, hosts: number) {
  const isComplete = hosts === 1 || !/^[^:]+:\/\/(?:[^/?#]*@)?(?:$|[:/?#])/.test(url)
  if (!isComplete || !URL.canParse(url.replace('@/', '@localhost/')))
    throw new Error('must be a URL like `postgres://user:password@host/postwren`, with commas between several hosts')
}

/** A server that cannot be written to is no use: with several of them that is what they are looked through for. */
function wantedOf(given: string | null, hosts: number): ServerAttributes {
  if (given === null) return hosts > 1 ? 'read-write' : 'any'
  if (!SESSION_ATTRIBUTES.includes(given as ServerAttributes))
    throw new Error(`must have one of ${SESSION_ATTRIBUTES.join(', ')} as \`target_session_attrs\``)
  return given as ServerAttributes
}

/** In seconds, as libpq has it; 0 is no limit there, and our own here. */
function connectMsOf(given: string | null): number | null {
  if (given === null) return null
  const seconds = Number(given)
  if (!Number.isInteger(seconds) || seconds < 0) throw new Error('must have a number of seconds as `connect_timeout`')
  return seconds === 0 ? null : seconds * 1_000
}
