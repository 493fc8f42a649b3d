import type { FastifyInstance } from 'fastify'
import type { Endpoint } from './endpoint.ts'
import { addGuideRoutes } from './guide-pages.ts'
import { addMetricsRoute, type MetricsParts } from './metrics-routes.ts'
import { openApiDocument } from './openapi.ts'
import { addReferenceRoutes } from './reference-page.ts'

/** What is looked at before traffic is sent here. */
export interface Checks {
  /** `read_only`: a standby, or a server that was switched over. `disk_full`: it answers, and has no room for more. */
  readonly database: 'ok' | 'away' | 'read_only' | 'disk_full'
  readonly service: 'ok' | 'starting' | 'stopping'
  /** A node whose clock is not the database's does not work. */
  readonly clock: 'ok' | 'off'
  /** Nor does one that could not write its heartbeat for some seconds: others may have taken over what it holds. */
  readonly heartbeat: 'ok' | 'unproven'
  readonly blobs: 'ok' | 'away' | 'disk_full'
  /** Whether some process has each role that accepted mail, webhooks and jobs wait for. */
  readonly roles: 'ok' | 'missing'
  readonly missing_roles?: readonly string[]
  /** Whether each way out takes mail; left out where nothing leaves. */
  readonly routes?: 'ok' | 'down'
  readonly routes_down?: readonly string[]
}

/**
 * `degraded`: this process can serve, and what it accepts waits, since nobody has a role that is needed for it, or a
 * route takes none. Traffic is welcome: were
 * it not, the restart of the only process that delivers would take all others out of service.
 */
type Status = 'ok' | 'degraded' | 'unavailable'

function statusOf({ roles, missing_roles, routes = 'ok', routes_down, ...own }: Checks): Status {
  if (Object.values(own).some((state) => state !== 'ok')) return 'unavailable'
  return roles === 'ok' && routes === 'ok' ? 'ok' : 'degraded'
}

const codeOf = (status: Status) => (status === 'unavailable' ? 503 : 200)

/** The routes that are about the service and not about mail: no key, no team. */
export function addSystemRoutes(
  app: FastifyInstance,
  parts: MetricsParts & {
    endpoints: readonly Endpoint[]
    version: string
    config: { HOLD: 'on' | 'off' }
    readiness(): Promise<Checks>
  },
) {
  // A process that answers is alive: one that waits for its database must not be restarted for it.
  app.get('/livez', (_request, reply) => reply.send({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const checks = await parts.readiness()
    const status = statusOf(checks)
    return reply.status(codeOf(status)).send({ status, checks })
  })
  app.get('/health', async (_request, reply) => {
    const code = codeOf(statusOf(await parts.readiness()))
    return reply
      .status(code)
      .send({ status: code === 200 ? 'ok' : 'unavailable', ...(parts.config.HOLD === 'on' && { hold: 'on' }) })
  })
  addMetricsRoute(app, parts)

  addGuideRoutes(app)
  addReferenceRoutes(app, () => openApiDocument(parts.endpoints, parts.version))
}
