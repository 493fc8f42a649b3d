import type { Queryable } from '../../kernel/db/database.ts'
import { publicRoute } from '../../kernel/http/public-route.ts'
import { toAsciiDomain } from '../../mail/address.ts'
import { hostedPolicy, POLICY_LABEL } from '../../mail/hosted-policy.ts'
import { type Config, hostName } from '../../platform/settings/config.ts'
import { findHostedMode } from '../domains/reads.ts'
import { findAnswer } from './certificates/queries.ts'
import { isOwnName } from './own-names.ts'

interface RouteServices {
  readonly db: Queryable
  readonly config: Config
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }

const NOT_FOUND = { status: 404, headers: { ...TEXT, 'cache-control': 'no-store' }, body: 'Not found.\n' }

/** The policy of the domain by whose name it is asked for. RFC 8461 has no other way to say which one is meant. */
const policy = publicRoute<RouteServices, Record<string, never>>({
  route: 'GET /.well-known/mta-sts.txt',
  async run({ visitor, services: { db, config } }) {
    const host = toAsciiDomain(visitor.host)
    const prefix = `${POLICY_LABEL}.`
    const mode = host.startsWith(prefix) ? await findHostedMode(db, host.slice(prefix.length)) : null
    if (mode === null) return NOT_FOUND
    return {
      status: 200,
      headers: { ...TEXT, 'cache-control': 'max-age=300' },
      body: hostedPolicy(mode, hostName(config)),
    }
  },
})

/** For proxies that get a certificate when somebody asks for a name: whether the name is one of ours. */
const ask = publicRoute<RouteServices, Record<string, never>>({
  route: 'GET /tls/ask',
  async run({ query, services: { db, config } }) {
    const { domain } = query
    if (typeof domain !== 'string' || !(await isOwnName(db, config, domain))) return NOT_FOUND
    return { status: 200, headers: { ...TEXT, 'cache-control': 'no-store' }, body: 'OK\n' }
  },
})

/** What an authority is told that asks over HTTP whether a name is ours (RFC 8555, 8.3). */
const challenge = publicRoute<RouteServices, { challenge: string }>({
  route: 'GET /.well-known/acme-challenge/:challenge',
  async run({ params, services: { db } }) {
    const answer = /^[\w-]{1,200}$/.test(params.challenge) ? await findAnswer(db, params.challenge) : null
    if (answer === null) return NOT_FOUND
    return {
      status: 200,
      headers: { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' },
      body: Buffer.from(answer),
    }
  },
})

export const tlsRoutes = [policy, ask, challenge]
