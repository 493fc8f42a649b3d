import { hash, timingSafeEqual } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Log } from '../../platform/observability/log.ts'
import type { Metrics } from '../../platform/observability/metrics.ts'
import { RefusedLogins } from '../../platform/observability/refused-logins.ts'
import { type Config, isLoopback } from '../../platform/settings/config.ts'
import { boundPipelining } from './pipelining.ts'
import { Problem } from './problem.ts'

export interface MetricsParts {
  readonly config: Config
  readonly metrics: Metrics
  readonly log: Log
}

/**
 * Where `/metrics` is. How much mail there is and where it gets stuck is nobody's business but the operator's: beyond a laptop it
 * takes a token or a port of its own.
 */
export function metricsLocation({
  METRICS_PORT,
  METRICS_TOKEN,
  HOST,
  PUBLIC_URL,
}: Config): 'here' | 'own port' | 'nowhere' {
  if (METRICS_PORT !== undefined) return 'own port'
  return METRICS_TOKEN || (isLoopback(HOST) && !PUBLIC_URL) ? 'here' : 'nowhere'
}

/** `/metrics` beside the API, unless it is elsewhere. */
export function addMetricsRoute(app: FastifyInstance, { config, metrics }: MetricsParts) {
  const location = metricsLocation(config)
  app.get('/metrics', async (request, reply) => {
    if (location === 'own port') throw new Problem('not_found', 'Metrics are served on a separate port.')
    if (location === 'nowhere')
      throw new Problem('not_found', 'Metrics are not served: set POSTWREN_METRICS_TOKEN or POSTWREN_METRICS_PORT.')
    requireToken(config, request.headers.authorization)
    const form = metrics.formOf(request.headers.accept)
    return reply.type(metrics.contentTypeOf(form)).send(await metrics.render(form))
  })
}

/** Prometheus keeps one connection; whoever opens more than this is not Prometheus. */
const MAX_CONNECTIONS = 50
const REQUEST_MS = 10_000

/** The server of the port of its own. It has this one page. */
export function createMetricsServer({ config, metrics, log }: MetricsParts): Server {
  const logins = new RefusedLogins('metrics', { log, metrics })
  const server = createServer({ requestTimeout: REQUEST_MS }, async (request, response) => {
    try {
      if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics')
        throw new Problem('not_found', 'Only `GET /metrics` is served here.')
      requireToken(config, request.headers.authorization)
      const form = metrics.formOf(request.headers.accept)
      const text = await metrics.render(form)
      response.writeHead(200, { 'content-type': metrics.contentTypeOf(form) }).end(text)
    } catch (error) {
      if (!(error instanceof Problem)) {
        log.error({ error }, 'metrics: collecting failed')
        response.writeHead(500).end()
        return
      }
      const address = request.socket.remoteAddress ?? ''
      if (error.kind !== 'not_found')
        logins.note({ reason: error.kind === 'missing_metrics_token' ? 'missing' : 'invalid', address })
      response.writeHead(error.status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(error))
    }
  })
  server.maxConnections = MAX_CONNECTIONS
  boundPipelining(server)
  return server
}

function requireToken({ METRICS_TOKEN }: Config, authorization: string | undefined) {
  if (!METRICS_TOKEN) return
  const given = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
  if (!given)
    throw new Problem('missing_metrics_token', 'Missing metrics token: send POSTWREN_METRICS_TOKEN as a bearer token.')
  // By their digests, which have one length: how long the comparison takes tells nothing.
  if (!timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', METRICS_TOKEN, 'buffer')))
    throw new Problem('invalid_metrics_token', 'Metrics token is invalid.')
}
