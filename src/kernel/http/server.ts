import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { cellsOf } from '../../platform/cell.ts'
import type { Clock } from '../../platform/clock.ts'
import { type MaybePromise, whenKnown } from '../../platform/concurrency/maybe-promise.ts'
import { levelOf } from '../../platform/database-errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/observability/log.ts'
import type { Metrics } from '../../platform/observability/metrics.ts'
import { RefusedLogins } from '../../platform/observability/refused-logins.ts'
import { tracing } from '../../platform/observability/tracing.ts'
import type { Config } from '../../platform/settings/config.ts'
import type { ActorDirectory } from '../audit/actor-directory.ts'
import type { Database } from '../db/database.ts'
import { withDatabase } from '../db/team-services.ts'
import { SENDING_ACCESS } from './access.ts'
import { Guarded, isInDashboard, loggedActor } from './actor.ts'
import { type Admission, admit, admitAgain, answerAdmitted, isLate } from './admit.ts'
import type { Authenticator, Sessions } from './auth.ts'
import { readBodies } from './body.ts'
import { BodyTurns } from './body-turns.ts'
import { challengeFor } from './challenge.ts'
import { isAborted, requireClient } from './client-gone.ts'
import { boundConnections } from './connections.ts'
import { AlreadyThere, type Endpoint, JSON_TYPE, JsonText, type RawBody } from './endpoint.ts'
import type { ExchangeLog } from './exchange.ts'
import type { RequestHeaders } from './headers.ts'
import { requireOwnHost } from './host-check.ts'
import { MAX_BODY_BYTES } from './json-limits.ts'
import { findLinkElsewhere, tokenOf } from './link-elsewhere.ts'
import { boundPipelining } from './pipelining.ts'
import type { PublicRoute } from './public-route.ts'
import type { RateLimit } from './rate-limit.ts'
import { redact } from './redact.ts'
import { defect, explain } from './refusal.ts'
import { noteIfLogin } from './refused-login.ts'
import { logRequest } from './request-log.ts'
import { beginRequestSpan, endRequestSpan } from './request-trace.ts'
import { RequestTurns } from './request-turns.ts'
import { leadIntoSandbox, type Sandboxes, sandboxOf } from './sandbox-path.ts'
import { refuseUnstorable } from './storable.ts'
import { refuseMoving, type TeamStates, type UsageCounts } from './suspension.ts'
import { refuseUndecodable } from './undecodable.ts'
import { pathOf, refuseShadowed, refuseUnknown } from './unknown-route.ts'
import { answerGarbage, answerUnread, isUnread, leaveUnread, MAX_FORM_BYTES, refuseIdleBody } from './unread.ts'
import { validate } from './validate.ts'

/** What the kernel itself uses of the services. What else there is in them it hands to the endpoints, and knows nothing about. */
export interface ServerServices {
  readonly db: Database
  readonly config: Config
  readonly log: Log
  readonly metrics: Metrics
  readonly authenticator: Authenticator
  readonly sessions: Sessions
  readonly lastUsed: { note(team: string, keyId: string): void }
  readonly rateLimit: RateLimit
  readonly teamStates: TeamStates
  readonly usageCounts: UsageCounts
  readonly sandboxes: Sandboxes
  readonly actorDirectory: ActorDirectory
  /** Writes down calls that a policy leaves no room for. */
  readonly guardedCalls: { noteOperation(policy: { team: string; policyId: string }, operation: string): Promise<void> }
  publicUrl(): string
}

export interface ServerParts<Services extends ServerServices> {
  readonly endpoints: readonly Endpoint<Services>[]
  readonly publicRoutes: readonly PublicRoute<Services>[]
  readonly services: Services
  readonly exchangeLog: ExchangeLog
}

const neverCompile = (): never => {
  throw new Error('Routes have no schemas of the framework: endpoints validate and serialize by their own.')
}

/** Instead of the framework's compilers, which are half a megabyte of program that no route of ours uses. */
const NO_COMPILERS = { buildValidator: neverCompile, buildSerializer: neverCompile }

/** The HTTP face of a list of endpoints: everything that is the same for all of them, and nothing about any one. */
export function createServer<Services extends ServerServices>(parts: ServerParts<Services>): FastifyInstance {
  const { config, db } = parts.services
  const app = fastify({
    // For whoever has no key; endpoints have their own limit, behind the key.
    bodyLimit: MAX_FORM_BYTES,
    requestTimeout: 300_000,
    // A connection on which nothing moves is closed: a reader who does not read keeps its answer in our memory.
    connectionTimeout: 60_000,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    // A tracked link carries where it leads to.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 4_000 },
    // A proxy that the operator names is believed about where a request came from; nobody else is.
    trustProxy: [...config.TRUSTED_PROXIES],
    // A base URL that ends in a slash gives `//emails`: the SDK joins the two as they are.
    rewriteUrl: (request) => leadIntoSandbox(request, request.url!.replace(/^\/{2,}/, '/')),
    frameworkErrors: (error, request, reply) => {
      begin(db.clock, request, reply)
      refuse(parts.services, error, request, reply)
    },
    clientErrorHandler: answerGarbage,
    schemaController: { compilersFactory: NO_COMPILERS },
  })
  app.decorateRequest('exchange', null as never)
  readBodies(app)
  boundConnections(app)
  boundPipelining(app.server)
  app.addHook('onRequest', (request, reply, done) => {
    begin(db.clock, request, reply)
    requireClient(request)
    requireOwnHost(request.headers.host, config)
    refuseIdleBody(request)
    if (request.is404 || !isReachable(request)) refuseUnknown(parts.endpoints, request, reply)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    conclude(parts.services, parts.exchangeLog, request, reply)
    done()
  })
  const refusedLogins = new RefusedLogins('http', parts.services)
  app.setErrorHandler((error, request, reply) => {
    noteIfLogin(refusedLogins, error, request)
    const noted = noteIfGuarded(parts.services, error, request)
    if (noted === null) return refuse(parts.services, error, request, reply)
    return noted.then(() => {
      refuse(parts.services, error, request, reply)
      return reply
    })
  })
  app.setNotFoundHandler((request, reply) => refuseUnknown(parts.endpoints, request, reply))
  addEndpoints(app, parts)
  addPublicRoutes(app, parts)
  return app
}

function addEndpoints<Services extends ServerServices>(
  app: FastifyInstance,
  { endpoints, services }: ServerParts<Services>,
) {
  const turns = { bodyTurns: new BodyTurns(), requestTurns: new RequestTurns() }
  const { sessions, authenticator } = services
  const identify = (request: FastifyRequest) =>
    sessions.identify(request) ?? authenticator.identify(request.headers.authorization, request.ip)
  for (const endpoint of endpoints) {
    const admission = { ...turns, endpoint, identify }
    for (const url of [endpoint.path, endpoint.alias])
      if (url !== undefined)
        app.route({
          method: endpoint.method,
          url,
          config: { endpoint },
          bodyLimit: endpoint.maxBodyBytes ?? MAX_BODY_BYTES,
          onRequest: (request, reply) => admit(services, admission, request, reply),
          handler: answerAdmitted(services, admission, (request, reply) =>
            request.exchange.span
              ? answerTraced(services, admission, request, reply)
              : answer(services, admission, request, reply),
          ),
        })
  }
  refuseShadowed(app, endpoints)
}

function addPublicRoutes<Services extends ServerServices>(
  app: FastifyInstance,
  { publicRoutes, services }: ServerParts<Services>,
) {
  const cells = cellsOf(services.config)
  for (const { method, path: url, run, tokenElsewhere } of publicRoutes) {
    app.route({
      method,
      url,
      async handler(request, reply) {
        const query = request.query as Record<string, unknown>
        const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
        const { hostname: host, ip: ipAddress, headers: given } = request
        const visitor = { method: request.method, host, ipAddress, headers: given }
        const params = request.params as never
        const token = tokenOf(params)
        const elsewhere = token === null ? null : await findLinkElsewhere(services.teamStates, cells, token)
        if (elsewhere !== null) {
          const sent = tokenElsewhere?.({ params, visitor, services }) ?? token!
          return reply.redirect(`${elsewhere}${request.url.replace(encodeURI(token!), sent)}`, 308)
        }
        const { status, headers, body } = await run({ params, query, form, visitor, services })
        return reply.status(status).headers(headers).send(body)
      },
    })
  }
}

/** Below the path of a sandbox there are endpoints, and whoever says that it leads there, too: the rest knows nothing of sandboxes. */
const isReachable = ({ raw, routeOptions: { config } }: FastifyRequest) =>
  sandboxOf(raw) === undefined || config.endpoint !== undefined || config.isInSandboxes === true

/** Whose it is shows later: the id of a request is one of real time. */
function begin(clock: Clock, request: FastifyRequest, reply: FastifyReply) {
  const id = newId(clock)
  request.exchange = {
    id,
    startedAt: performance.now(),
    actor: null,
    db: null,
    requestBody: null,
    responseBody: null,
    release: null,
    span: beginRequestSpan(request),
  }
  reply.header('x-request-id', id)
  leaveUnread(request)
}

/** What the endpoint does, and what is written for it, belongs to the request's trace. Apart, since a closure would cost all the others. */
function answerTraced<Services extends ServerServices>(
  services: Services,
  admission: AdmissionTo<Services>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const run = () => answer(services, admission, request, reply)
  return tracing ? tracing.run(request.exchange.span, run) : run()
}

async function answer<Services extends ServerServices>(
  services: Services,
  admission: AdmissionTo<Services>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { endpoint } = admission
  const actor = request.exchange.actor!
  refuseMoving(services.teamStates, actor.team)
  refuseUnstorable({ ...(request.params as object), ...(request.query as object) })
  if (endpoint.query && request.url.includes('%'))
    refuseUndecodable(request.url, request.query as Record<string, unknown>, Object.keys(endpoint.query.properties))
  const running = endpoint.run({
    params: (endpoint.params ? validate(endpoint.params, request.params, 'params') : {}) as never,
    query: (endpoint.query ? validate(endpoint.query, request.query, 'query') : {}) as never,
    body: (endpoint.body ? validate(endpoint.body, request.body ?? {}, 'body') : undefined) as never,
    headers: namedHeaders(endpoint, request.headers),
    raw: rawBody(services, admission, request),
    services: withDatabase(services, request.exchange.db!),
    actor,
  })
  let result: unknown
  try {
    result = await running
  } finally {
    const told = SENDING_ACCESS.has(endpoint.access) ? tellUsage(services, actor.team, reply) : null
    if (told instanceof Promise) await told
  }
  reply.status(result instanceof AlreadyThere ? 200 : endpoint.status)
  reply.type(endpoint.replyType ? `${endpoint.replyType}; charset=utf-8` : JSON_TYPE)
  if (isStream(result)) return reply.send(streamOf(result, services.db.shares.lists.open(actor.team)))
  // A list is not kept in the log: it can be read again, and writing it down cost more than reading it.
  if (result instanceof JsonText) return reply.send(result.text)
  const text = JSON.stringify(result instanceof AlreadyThere ? result.reply : result)
  request.exchange.responseBody = text
  return reply.send(text)
}

interface AdmissionTo<Services> extends Admission {
  readonly endpoint: Endpoint<Services>
}

const rawBody = (services: ServerServices, admission: Admission, request: FastifyRequest): RawBody => ({
  headers: request.headers,
  stream: request.raw,
  async admitAgain() {
    if (isLate(request)) await admitAgain(services, admission, request)
    refuseMoving(services.teamStates, request.exchange.actor!.team)
  },
})

/** A header that came twice is one text, as Node joins it. */
function namedHeaders({ headers }: Endpoint, given: IncomingHttpHeaders): RequestHeaders {
  if (!headers) return NO_HEADERS
  const named = headers.filter((name) => given[name] !== undefined)
  return Object.fromEntries(named.map((name) => [name, String(given[name])]))
}

const NO_HEADERS: RequestHeaders = Object.freeze({})

/** Whoever sends hears how much of the quota is used, also when it is used up. */
function tellUsage({ usageCounts }: ServerServices, team: string, reply: FastifyReply): MaybePromise<unknown> {
  return whenKnown(usageCounts.headersFor(team), (headers) => void reply.headers(headers))
}

const streamOf = (pieces: AsyncIterable<string | Buffer>, close: () => void) =>
  Readable.from(pieces, { objectMode: true, highWaterMark: 1 }).once('close', close)

const isStream = (result: unknown): result is AsyncIterable<string | Buffer> =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result

/** Whoever watches a key sees what it tried, too. Null: it was refused for something else. */
function noteIfGuarded(
  { guardedCalls }: ServerServices,
  error: unknown,
  { exchange, routeOptions, method }: FastifyRequest,
) {
  const { team, policyId } = exchange.actor ?? {}
  const { endpoint } = routeOptions.config
  if (!(error instanceof Guarded && team && policyId && endpoint)) return null
  return guardedCalls.noteOperation({ team, policyId }, `${method} ${endpoint.path}`)
}

/** For the APIs of other programs: their clients bring a name and a password. */
const BASIC = 'Basic realm="Postwren", charset="UTF-8"'

function refuse(
  { log, publicUrl }: Pick<ServerServices, 'log' | 'publicUrl'>,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  let problem = explain(error, request.routeOptions.bodyLimit ?? MAX_FORM_BYTES)
  if (!isAborted(request) && (!problem || problem.kind === 'service_unavailable'))
    log[levelOf(error, 'error')](
      { error, request: request.exchange.id, method: request.method, path: request.url },
      'http: request failed',
    )
  problem ??= defect()
  if (problem instanceof Guarded) problem = problem.at(publicUrl())
  const { refusal } = request.routeOptions.config
  const { status, text } = refusal?.(problem) ?? { status: problem.status, text: JSON.stringify(problem) }
  request.exchange.responseBody = text
  reply.status(status).headers(problem.headers).type(JSON_TYPE)
  if (status === 401)
    reply.header('www-authenticate', refusal ? BASIC : challengeFor(publicUrl(), pathOf(request), problem.kind))
  if (isUnread(request)) answerUnread(request, reply, text)
  else reply.send(text)
}

function conclude(services: ServerServices, exchangeLog: ExchangeLog, request: FastifyRequest, reply: FastifyReply) {
  const { metrics, db } = services
  const { id, startedAt, actor, requestBody, responseBody, release, span } = request.exchange
  release?.()
  logRequest(services, request, reply)
  const { endpoint } = request.routeOptions.config
  const durationMs = performance.now() - startedAt
  const served = { endpoint: endpoint?.id ?? 'none', status: reply.statusCode }
  metrics.observeRequest(served, durationMs / 1_000, span?.context)
  if (span) endRequestSpan(span, request, reply)
  if (!actor || !endpoint) return
  // Who looks at the log in the dashboard would find little else in it than the looking.
  if (isInDashboard(actor) && !endpoint.isLogged) return
  const { kind: actorKind, id: actorId } = loggedActor(actor)
  exchangeLog.record({
    id,
    team: actor.team,
    actorKind,
    actorId,
    actorName: actor.name ?? null,
    ipAddress: request.ip,
    method: request.method,
    path: pathOf(request),
    status: reply.statusCode,
    durationMs: Math.round(durationMs),
    userAgent: request.headers['user-agent'] ?? null,
    requestBody: redact(requestBody, endpoint.describedAs ?? endpoint.body, request.body),
    responseBody: reply.statusCode < 400 ? redact(responseBody, endpoint.reply) : responseBody,
    at: db.clock.of(actor.team).now(),
  })
}
