import { createReadStream } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { assetPath } from '../../platform/assets.ts'
import type { Endpoint } from './endpoint.ts'
import { addMetricsRoute, type MetricsParts } from './metrics-routes.ts'
import { openApiDocument } from './openapi.ts'

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
}

/**
 * `degraded`: this process can serve, and what it accepts waits, since nobody has a role that is needed for it. Traffic is welcome: were
 * it not, the restart of the only process that delivers would take all others out of service.
 */
type Status = 'ok' | 'degraded' | 'unavailable'

function statusOf({ roles, missing_roles, ...own }: Checks): Status {
  if (Object.values(own).some((state) => state !== 'ok')) return 'unavailable'
  return roles === 'ok' ? 'ok' : 'degraded'
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

  let document: string | undefined
  app.get('/openapi.json', (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(parts.endpoints, parts.version))
    return reply.type('application/json; charset=utf-8').send(document)
  })
  app.get('/docs', (_request, reply) =>
    reply
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .type('text/html; charset=utf-8')
      .send(REFERENCE_PAGE),
  )
  app.get('/docs/reference.js', (_request, reply) =>
    reply
      .header('cache-control', 'max-age=3600')
      .type('text/javascript; charset=utf-8')
      .send(createReadStream(assetPath('reference.js'))),
  )
  app.get('/docs/open.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(OPEN_REFERENCE))
}

// The viewer would fetch fonts and offer services of its maker; the policy makes sure that nothing but this server is asked.
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'"

const OPEN_REFERENCE = `Scalar.createApiReference('#reference', ${JSON.stringify({
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
})})`

const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Postwren API reference</title>
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/reference.js"></script>
    <script src="/docs/open.js"></script>
  </body>
</html>
`
