import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { admit } from '../../features/people/oidc/admission.ts'
import { readIdentity } from '../../features/people/oidc/claims.ts'
import type { ProviderClient } from '../../features/people/oidc/client.ts'
import type { OidcProviders } from '../../features/people/oidc/providers.ts'
import type { SignInLimits } from '../../features/people/sign-in-limits.ts'
import type { Database } from '../../kernel/db/database.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { noticePage } from '../../kernel/http/public-page.ts'
import type { Sealer } from '../../kernel/secrets.ts'
import type { Log } from '../../platform/observability/log.ts'
import type { Config } from '../../platform/settings/config.ts'
import { OidcCookie } from './oidc-cookie.ts'
import { HOME, ownPath } from './own-path.ts'
import type { Sessions } from './sessions.ts'
import { enter } from './sign-in.ts'

export interface OidcParts {
  readonly db: Database
  readonly config: Config
  readonly log: Log
  readonly sealer: Sealer
  readonly sessions: Sessions
  readonly signInLimits: SignInLimits
  readonly oidc: OidcProviders
  publicUrl(): string
}

interface Route {
  Params: { id: string }
}

/** Signing in at a provider of OpenID Connect: the way there, and the way back. Both are pages that a browser goes to. */
export function addOidcRoutes(app: FastifyInstance, parts: OidcParts) {
  const { log, oidc, signInLimits, publicUrl } = parts
  const cookie = new OidcCookie(parts)
  const callbackOf = ({ provider }: ProviderClient) =>
    new URL(`${publicUrl()}/dashboard/sign-in/oidc/${provider.id}/callback`)

  app.get<Route>('/dashboard/sign-in/oidc/:id', (request, reply) =>
    showing(log, request, reply, async () => {
      signInLimits.admitAttempt(request.ip)
      const client = requireProvider(oidc, request.params.id)
      const { url, secrets } = await client.begin(callbackOf(client).href)
      const { next } = request.query as { next?: unknown }
      reply.header('set-cookie', cookie.make({ provider: client.provider.id, next: ownPath(next), ...secrets }))
      return reply.redirect(url, 303)
    }),
  )

  app.get<Route>('/dashboard/sign-in/oidc/:id/callback', (request, reply) =>
    showing(log, request, reply, async () => {
      signInLimits.admitAttempt(request.ip)
      // Whatever comes of it, what the browser has is good for one try.
      reply.header('set-cookie', cookie.none)
      const begun = cookie.read(request.headers)
      const client = requireProvider(oidc, request.params.id)
      if (!begun || begun.provider !== client.provider.id) throw notBegunHere()
      const address = callbackOf(client)
      address.search = new URL(request.url, address).search
      const identity = readIdentity(client.provider, await client.finish(address, begun))
      await enter(parts, request, reply, (trx, origin) => admit(trx, client.provider, { identity, origin }))
      return reply.redirect(begun.next, 303)
    }),
  )
}

const requireProvider = (oidc: OidcProviders, id: string): ProviderClient => {
  const client = oidc.find(id)
  if (!client) throw new Problem('not_found', 'Sign-in provider not found')
  return client
}

const notBegunHere = () =>
  new Problem('invalid_permission', 'This sign-in was started in another browser or has expired. Start again.')

/** People see what went wrong as a page, and not as JSON. */
async function showing(log: Log, request: FastifyRequest<Route>, reply: FastifyReply, work: () => Promise<unknown>) {
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    log.info(
      { provider: request.params.id.slice(0, 40), reason: error.message, error: error.cause },
      'people: sign-in through a provider refused',
    )
    const page = noticePage({
      status: error.status,
      title: 'Sign-in failed',
      text: error.message,
      link: { path: HOME, text: 'Back to the sign-in page' },
    })
    return reply.status(page.status).headers(page.headers).send(page.body)
  }
}
