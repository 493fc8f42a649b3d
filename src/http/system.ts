import { createReadStream } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { assetPath } from '../platform/assets.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Endpoint } from './endpoint.ts'
import { openApiDocument } from './openapi.ts'

/** The doors that are about the service and not about mail: no key, no team. */
export function addSystemRoutes(
  app: FastifyInstance,
  parts: {
    endpoints: readonly Endpoint[]
    metrics: Metrics
    version: string
    config: { HOLD: 'on' | 'off' }
    isReady(): Promise<boolean>
  },
) {
  app.get('/health', async (_request, reply) => {
    const isReady = await parts.isReady()
    return reply
      .status(isReady ? 200 : 503)
      .send({ status: isReady ? 'ok' : 'unavailable', ...(parts.config.HOLD === 'on' && { hold: 'on' }) })
  })
  app.get('/metrics', async (_request, reply) =>
    reply.type(parts.metrics.contentType).send(await parts.metrics.render()),
  )

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
