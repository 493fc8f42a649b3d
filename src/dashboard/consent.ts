import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ActorOf } from '../http/actor.ts'
import { Problem } from '../http/problem.ts'
import { approve, deny, describeRequest } from '../oauth/authorization.ts'
import { describeUserSession } from '../people/sessions.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/db/database.ts'
import { isId } from '../platform/ids.ts'
import type { LinkSigner } from '../platform/links.ts'
import { isFromOurPage } from './same-origin.ts'
import type { Sessions } from './sessions.ts'

interface ConsentParts {
  readonly db: Database
  readonly config: Config
  readonly links: LinkSigner
  readonly sessions: Sessions
  publicUrl(): string
}

/** Behind the page on which somebody lets a program in, or does not. What the program asks for is signed, and comes back as it was. */
export function addConsent(app: FastifyInstance, parts: ConsentParts) {
  const person = async (request: FastifyRequest): Promise<ActorOf<'user'>> => {
    if (!isFromOurPage(request, parts.config))
      throw new Problem('sender_not_allowed', 'This is for the dashboard only.')
    // Whichever team the page shows: the one that the program gets is named apart.
    const visitor = await parts.sessions.require(request.headers, null)
    if (visitor.identity.kind !== 'user')
      throw new Problem(
        'invalid_permission',
        'Sign in as yourself: a program acts for a person, and not for an API key.',
      )
    return visitor as ActorOf<'user'>
  }

  app.get('/dashboard/oauth/request', async (request) => {
    await person(request)
    return describeRequest(parts, (request.query as { request?: unknown }).request)
  })
  app.post('/dashboard/oauth/approve', async (request) => {
    const who = await person(request)
    const { request: signed, team } = bodyOf(request)
    if (typeof team !== 'string' || !isId(team)) throw new Problem('missing_required_field', 'Missing `team` field.')
    const session = await describeUserSession(parts.db, who.identity.session.id)
    const consent = {
      person: who,
      email: session?.email ?? null,
      team,
      ipAddress: request.ip,
      userAgent: request.headers['user-agent'] ?? null,
    }
    return { object: 'oauth_answer', redirect_to: await approve(parts, signed, consent) }
  })
  app.post('/dashboard/oauth/deny', async (request) => {
    await person(request)
    return { object: 'oauth_answer', redirect_to: deny(parts, bodyOf(request).request) }
  })
}

const bodyOf = ({ body }: FastifyRequest) =>
  (typeof body === 'object' && body !== null ? body : {}) as { readonly request?: unknown; readonly team?: unknown }
