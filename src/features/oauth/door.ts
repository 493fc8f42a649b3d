import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../kernel/db/database.ts'
import type { Authenticator } from '../../kernel/http/auth.ts'
import { isAborted } from '../../kernel/http/client-gone.ts'
import { explain } from '../../kernel/http/refusal.ts'
import { answerUnread, isUnread } from '../../kernel/http/unread.ts'
import type { Sealer } from '../../kernel/secrets.ts'
import { clientOf } from '../../platform/client-address.ts'
import { TokenBuckets } from '../../platform/concurrency/token-buckets.ts'
import type { LinkSigner } from '../../platform/links.ts'
import type { Log } from '../../platform/observability/log.ts'
import { beginAuthorization } from './authorization.ts'
import { requireClient } from './client-authentication.ts'
import { DocumentClients, type DocumentSource } from './document-clients.ts'
import { OAuthError } from './error.ts'
import { exchangeCode, exchangeRefreshToken } from './exchange.ts'
import { resourceMetadata, serverMetadata } from './metadata.ts'
import { readParameters, requireParameter } from './parameters.ts'
import { Registration } from './registration.ts'
import { revokeToken } from './revocation.ts'
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from './tokens.ts'

export interface OAuthParts {
  readonly db: Database
  readonly log: Log
  readonly links: LinkSigner
  readonly sealer: Sealer
  readonly authenticator: Authenticator
  readonly accessTokens: AccessTokens
  readonly documents: DocumentSource
  publicUrl(): string
}

/** Requests of an address in a minute that come to nothing, and all that are under way. Each costs a look-up, and some are guesses. */
const REFUSALS_A_MINUTE = 300

/** Ten redirect URIs of 2,048 characters, and all the rest. */
const MAX_BODY_BYTES = 32 * 1_024

const EXCHANGES = { authorization_code: exchangeCode, refresh_token: exchangeRefreshToken }

/**
 * OAuth 2.1 as programs speak it: how they learn about us, make themselves known, send people here and get tokens. The page on which
 * people say yes is the dashboard's.
 */
export function addOAuth(app: FastifyInstance, parts: OAuthParts) {
  addMetadata(app, parts)
  addProtocol(app, parts)
}

function addMetadata(app: FastifyInstance, { accessTokens, publicUrl }: OAuthParts) {
  const publish = (path: string, read: () => object | Promise<object>) =>
    app.get(path, async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=300')
      return read()
    })
  publish('/.well-known/oauth-authorization-server', () => serverMetadata(publicUrl()))
  publish('/.well-known/oauth-protected-resource', () => resourceMetadata(publicUrl(), ''))
  publish('/.well-known/oauth-protected-resource/mcp', () => resourceMetadata(publicUrl(), '/mcp'))
  publish('/.well-known/jwks.json', async () => ({ keys: await accessTokens.keys.published() }))
}

function addProtocol(app: FastifyInstance, parts: OAuthParts) {
  const { db, log, sealer, authenticator, accessTokens } = parts
  const registration = new Registration()
  const documents = new DocumentClients(db, parts.documents)
  const exchangeParts = { db, sealer, onRevoked: () => authenticator.forget() }
  const refusals = new TokenBuckets({ limit: REFUSALS_A_MINUTE, periodMs: 60_000 })
  const options = {
    async onRequest({ ip }: FastifyRequest, reply: FastifyReply) {
      reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
      if (!refusals.take(clientOf(ip)))
        throw new OAuthError('too_many_requests', 'Too many requests that were refused. Try again in a minute.')
    },
    async onResponse({ ip }: FastifyRequest, { statusCode }: FastifyReply) {
      if (statusCode < 400 || statusCode >= 500) refusals.charge(clientOf(ip), -1)
    },
    bodyLimit: MAX_BODY_BYTES,
    errorHandler(error: unknown, request: FastifyRequest, reply: FastifyReply) {
      const refusal = refusalOf(error, log, request)
      if (refusal.code === 'invalid_client' && request.headers.authorization !== undefined)
        reply.header('www-authenticate', 'Basic realm="OAuth"')
      const text = JSON.stringify(refusal)
      reply.status(refusal.status).type('application/json; charset=utf-8')
      return isUnread(request) ? answerUnread(request, reply, text) : reply.send(text)
    },
  }
  const clientOfRequest = async ({ headers, body }: FastifyRequest) => {
    const parameters = readParameters(body)
    return { parameters, client: await requireClient(db, headers.authorization, parameters) }
  }

  app.post('/oauth/register', options, async (request, reply) => {
    const registered = await registration.register(db, request.body, request.ip)
    return reply.status(201).send(registered)
  })
  app.get('/oauth/authorize', options, async (request, reply) => {
    const query = request.url.split('?').slice(1).join('?')
    const address = await beginAuthorization({ ...parts, documents }, readParameters(query), request.ip)
    return reply.header('referrer-policy', 'no-referrer').redirect(address, 302)
  })
  app.post('/oauth/token', options, async (request) => {
    const { client, parameters } = await clientOfRequest(request)
    const type = requireParameter(parameters, 'grant_type')
    if (!Object.hasOwn(EXCHANGES, type))
      throw new OAuthError(
        'unsupported_grant_type',
        'The `grant_type` must be `authorization_code` or `refresh_token`.',
      )
    const exchange = EXCHANGES[type as keyof typeof EXCHANGES]
    const { subject, scopes, refreshToken } = await exchange(exchangeParts, client, parameters)
    return {
      access_token: await accessTokens.issue(subject, scopes),
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_SECONDS,
      ...(refreshToken !== null && { refresh_token: refreshToken }),
      scope: scopes.join(' '),
    }
  })
  app.post('/oauth/revoke', options, async (request, reply) => {
    const { client, parameters } = await clientOfRequest(request)
    await revokeToken(exchangeParts, client, parameters)
    return reply.send('')
  })
}

/** In the words of the protocol, whatever went wrong. */
function refusalOf(error: unknown, log: Log, request: FastifyRequest): OAuthError {
  if (error instanceof OAuthError) return error
  const problem = explain(error, request.routeOptions.bodyLimit)
  if (problem?.kind === 'rate_limit_exceeded') return new OAuthError('too_many_requests', problem.message)
  if (problem && problem.status < 500) return new OAuthError('invalid_request', problem.message)
  // Counted as refused: whoever does this on purpose comes to the end of what an address may try.
  if (isAborted(request)) return new OAuthError('invalid_request', 'The request was not complete.')
  log.error(
    { error, request: request.exchange.id, method: request.method, path: request.routeOptions.url },
    'a request failed',
  )
  return problem?.kind === 'service_unavailable'
    ? new OAuthError('temporarily_unavailable', problem.message)
    : new OAuthError('server_error', 'Something went wrong on our side. The log of the server has the cause.')
}
