import { once } from 'node:events'
import { createMetricsServer, type MetricsParts, metricsPlace } from '../../kernel/http/metrics-door.ts'
import { OperatorError } from './command.ts'

export interface MetricsPort {
  readonly port: number
  stop(): Promise<void>
}

/** Listens on the port that the metrics have for themselves. Null: they have none. */
export async function openMetricsPort(parts: MetricsParts): Promise<MetricsPort | null> {
  const { config, log } = parts
  const place = metricsPlace(config)
  if (place === 'nowhere')
    log.info('the metrics are not served: set POSTWREN_METRICS_TOKEN, or POSTWREN_METRICS_PORT for a port of their own')
  if (place !== 'own port') return null
  const server = createMetricsServer(parts)
  const host = config.METRICS_HOST ?? config.HOST
  const opened = once(server, 'listening')
  server.listen({ host, port: config.METRICS_PORT })
  await opened.catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(
      `Cannot serve the metrics on port ${config.METRICS_PORT} of ${host} (${error.code}): change POSTWREN_METRICS_PORT or POSTWREN_METRICS_HOST.`,
    )
  })
  const { port } = server.address() as { port: number }
  return {
    port,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
