import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../features/services.ts'
import { withDatabase } from '../../kernel/db/team-services.ts'
import { admit, answerAdmitted } from '../../kernel/http/admit.ts'
import { BodyTurns } from '../../kernel/http/body-turns.ts'
import { JSON_TYPE } from '../../kernel/http/endpoint.ts'
import { MAX_BODY_BYTES } from '../../kernel/http/json-limits.ts'
import { inPieces } from '../../kernel/http/long-answer.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { RequestTurns } from '../../kernel/http/request-turns.ts'
import type { ServerServices } from '../../kernel/http/server.ts'
import { refuseUnstorable } from '../../kernel/http/storable.ts'
import { validate } from '../../kernel/http/validate.ts'
import { identify } from './access.ts'
import { chaosRoutes } from './chaos.ts'
import { checkRoutes } from './check-routes.ts'
import { type MailpitRoute, Served } from './definitions.ts'
import { infoRoutes } from './info.ts'
import { listRoutes } from './list-routes.ts'
import { messageRoutes } from './message-routes.ts'
import { spelledAs } from './schema.ts'
import { sendingRoute } from './sending.ts'

/** The API of Mailpit, on the same messages as everything else: a project that tests with Mailpit comes over by changing a port. */
export function addMailpit(app: FastifyInstance, { services, version }: MailpitParts) {
  const turns = { bodyTurns: new BodyTurns(), requestTurns: new RequestTurns() }
  const routes = [
    ...[...listRoutes, ...messageRoutes, ...checkRoutes, ...chaosRoutes, ...infoRoutes(version), sendingRoute],
  ]
  for (const route of routes) {
    const { endpoint } = route
    const admission = { endpoint, ...turns, identify: (request: FastifyRequest) => identify(services, request) }
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      config: { endpoint, refusal: refusalOf },
      bodyLimit: endpoint.maxBodyBytes ?? MAX_BODY_BYTES,
      onRequest: (request, reply) => admit(services, admission, request, reply),
      handler: answerAdmitted(services, admission, (request, reply) => answer(services, route, request, reply)),
    })
  }
  app.route({
    method: ['GET', 'POST', 'PUT', 'DELETE'],
    url: '/api/v1/*',
    config: { isInSandboxes: true, refusal: refusalOf },
    onRequest: async () => {
      throw new Problem('not_found', 'The requested endpoint does not exist.')
    },
    handler: async () => {},
  })
}

export interface MailpitParts {
  readonly services: Services & ServerServices
  readonly version: string
}

async function answer(
  services: MailpitParts['services'],
  { endpoint, run }: MailpitRoute,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { query, body } = endpoint
  refuseUnstorable({ ...(request.params as object), ...(request.query as object) })
  const result = await run({
    params: request.params as never,
    query: (query ? validate(query, request.query, 'query') : {}) as never,
    body: (body ? validate(body, spelledAs(body, request.body ?? {}), 'body') : {}) as never,
    services: withDatabase(services, request.exchange.db!),
    actor: request.exchange.actor!,
  })
  if (result instanceof Served) return reply.headers(result.headers).type(result.type).send(result.body)
  reply.type(JSON_TYPE)
  const text = inPieces(result)
  if (text === result) return reply.send(JSON.stringify(result))
  return reply.send(Readable.from(text as AsyncIterable<string>, { objectMode: true, highWaterMark: 1 }))
}

/** Mailpit knows fewer kinds: what is wrong with a request is 400, and whoever is not known is asked for a password. */
function refusalOf({ kind, status, message }: Problem) {
  return { status: STATUSES[kind] ?? (status === 422 ? 400 : status), text: JSON.stringify({ Error: message }) }
}

const STATUSES: { readonly [Kind in Problem['kind']]?: number } = {
  invalid_api_key: 401,
  unsupported_content_type: 400,
}
