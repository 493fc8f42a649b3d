import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { approve, deny, describeRequest } from '../../features/oauth/authorization.ts'
import { listOwnGrants, revokeOwnGrant } from '../../features/oauth/own-grants.ts'
import { describeUserSession } from '../../features/people/sessions.ts'
import { Policy } from '../../features/policies/schema.ts'
import type { Database } from '../../kernel/db/database.ts'
import type { ActorOf } from '../../kernel/http/actor.ts'
import type { Authenticator } from '../../kernel/http/auth.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { validate } from '../../kernel/http/validate.ts'
import { isId } from '../../platform/ids.ts'
import type { LinkSigner } from '../../platform/links.ts'
import type { Config } from '../../platform/settings/config.ts'
import { isFromOurPage } from './same-origin.ts'
import type { Sessions } from './sessions.ts'

interface ConsentParts {
  readonly db: Database
  readonly config: Config
  readonly links: LinkSigner
  readonly sessions: Sessions
  readonly authenticator: Authenticator
  publicUrl(): string
}

/**
 * Behind the page on which somebody lets a program in, or does not, and later ends what they have let in. What the program asks for is
 * signed, and comes back as it was.
 */
export function addConsent(app: FastifyInstance, parts: ConsentParts) {
  const person = async (request: FastifyRequest): Promise<ActorOf<'user'>> => {
    if (!isFromOurPage(request, parts.config)) throw new Problem('dashboard_only', 'Only the dashboard can call this.')
    // Whichever team the page shows: the one that the program gets is named apart.
    const visitor = await parts.sessions.require(request.headers, null)
    if (visitor.identity.kind !== 'user')
      throw new Problem(
        'invalid_permission',
        'Sign in with your account: an app acts for a person, not for an API key.',
      )
    return visitor as ActorOf<'user'>
  }

  const describe = async ({ identity }: ActorOf<'user'>, { ip, headers }: FastifyRequest) => ({
    user: { id: identity.id, email: (await describeUserSession(parts.db, identity.session.id))?.email ?? null },
    ipAddress: ip,
    userAgent: headers['user-agent'] ?? null,
  })

  app.get('/dashboard/oauth/request', async (request) => {
    await person(request)
    return describeRequest(parts, (request.query as { request?: unknown }).request)
  })
  app.post('/dashboard/oauth/approve', async (request) => {
    const who = await describe(await person(request), request)
    const { request: signed, team, policy } = bodyOf(request)
    if (typeof team !== 'string' || !isId(team)) throw new Problem('missing_required_field', 'Missing `team` field.')
    return {
      object: 'oauth_answer',
      redirect_to: await approve(parts, signed, { ...who, team, policy: policyIn(policy) }),
    }
  })
  app.post('/dashboard/oauth/deny', async (request) => {
    await person(request)
    return { object: 'oauth_answer', redirect_to: deny(parts, bodyOf(request).request) }
  })
  app.get('/dashboard/oauth/grants', async (request) => {
    const { identity } = await person(request)
    return { object: 'list', has_more: false, data: await listOwnGrants(parts.db, identity.id) }
  })
  app.delete<{ Params: { id: string } }>('/dashboard/oauth/grants/:id', async (request) => {
    const who = await describe(await person(request), request)
    const { id } = request.params
    if (!isId(id)) throw new Problem('invalid_parameter', 'The `id` must be a valid UUID.')
    await revokeOwnGrant(parts.db, { ...who, id })
    parts.authenticator.forget()
    return { object: 'oauth_grant', id, deleted: true }
  })
}

const bodyOf = ({ body }: FastifyRequest) =>
  (typeof body === 'object' && body !== null ? body : {}) as Readonly<
    Partial<Record<'request' | 'team' | 'policy', unknown>>
  >

const Guarded = Type.Object({ policy: Type.Optional(Policy) })

const policyIn = (policy: unknown): Policy | null => validate(Guarded, { policy }, 'body').policy ?? null
