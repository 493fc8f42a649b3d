import type { FastifyRequest } from 'fastify'
import { findFirstTeam } from '../../features/teams/index.ts'
import type { Database } from '../../kernel/db/database.ts'
import type { Access } from '../../kernel/http/access.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import type { Authenticator } from '../../kernel/http/auth.ts'
import { isLocalName } from '../../kernel/http/host-check.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { type Config, isLaptop } from '../../platform/settings/config.ts'

export interface AccessParts {
  readonly db: Database
  readonly config: Config
  readonly authenticator: Authenticator
}

const KEY = /^re_\S+$/

/** Who asks: by a key, as bearer or in basic authentication, or, on a laptop, whoever sits at it. */
export async function identify({ db, config, authenticator }: AccessParts, request: FastifyRequest): Promise<Actor> {
  refuseOtherPages(request, config.PUBLIC_URL)
  const { authorization } = request.headers
  const login = basicIn(authorization)
  const key = login && (login.find((word) => KEY.test(word)) ?? null)
  // Logins of a Mailpit before are worth as much on a laptop as none at all. What looks like a key is meant as one.
  if ((authorization === undefined || (login && key === null)) && isAtLaptop(config, request)) {
    const team = await findFirstTeam(db)
    if (team) return { team, ...ANYBODY }
  }
  return authenticator.identify(login ? `Bearer ${key ?? login[0]}` : authorization, request.ip)
}

const ANYBODY = {
  identity: { kind: 'anonymous' },
  permissions: new Set<Access>(['content', 'read', 'write', 'send']),
  domainId: null,
} satisfies Omit<Actor, 'team'>

/** The password and the name of basic authentication: either may be the key. Null: it is none. */
function basicIn(authorization: string | undefined): [password: string, name: string] | null {
  const [, encoded] = /^Basic\s+([\w+/=-]+)\s*$/i.exec(authorization ?? '') ?? []
  if (encoded === undefined) return null
  const [name = '', ...rest] = Buffer.from(encoded, 'base64').toString().split(':')
  return [rest.join(':').trim(), name.trim()]
}

/**
 * Whether somebody asks who sits at this machine, and nobody else can: it listens to nobody else, and is asked for by a name that no
 * foreign domain can take (DNS rebinding). Who came through a proxy may come from anywhere.
 */
function isAtLaptop(config: Config, { raw, ip, headers }: FastifyRequest): boolean {
  if (!isLaptop(config) || PROXIED.some((name) => headers[name] !== undefined)) return false
  return isHere(raw.socket.remoteAddress) && isHere(ip) && headers.host !== undefined && isLocalName(headers.host)
}

const PROXIED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

const isHere = (address: string | undefined) => /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i.test(address ?? '')

/**
 * Pages of other sites get nothing here, whoever's browser they run in: it may sit at a laptop, and it sends a password along that its
 * user has once typed in. Another port of `localhost` is another site, too. Programs name neither.
 */
function refuseOtherPages({ headers }: FastifyRequest, publicUrl: string | undefined) {
  const { origin, host, 'sec-fetch-site': site } = headers
  const own = [`http://${host}`, `https://${host}`, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])]
  const isOwn = (origin === undefined || own.includes(origin)) && OWN_SITES.has(site)
  if (!isOwn) throw new Problem('origin_not_allowed', 'Pages of other sites cannot call this.')
}

/** `none`: somebody has typed the address. */
const OWN_SITES: ReadonlySet<unknown> = new Set([undefined, 'same-origin', 'none'])
