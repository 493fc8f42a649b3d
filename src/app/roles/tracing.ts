import { randomUUID } from 'node:crypto'
import type { Log } from '../../platform/observability/log.ts'
import type { Metrics } from '../../platform/observability/metrics.ts'
import { setTracing } from '../../platform/observability/tracing.ts'
import { type Config, hostName } from '../../platform/settings/config.ts'

/** A collector that is away for a day is one line a minute. */
const WARN_EVERY_MS = 60_000

/** Begins to trace if there is a collector, and gives back how to end that. What it needs is loaded only then. */
export async function startTracing(
  config: Config,
  { log, metrics, version }: { log: Log; metrics: Metrics; version: string },
): Promise<(graceMs: number) => Promise<void>> {
  const { OTLP_URL: url, OTLP_HEADERS: headers, TRACE_SAMPLING: sampling } = config
  if (!url) return async () => {}
  const { openTracing } = await import('../../platform/observability/otlp.ts')
  let dropped = 0
  let warnedAt = Number.NEGATIVE_INFINITY
  const tracing = openTracing({
    url,
    headers,
    sampling,
    resource: {
      'service.name': 'postwren',
      'service.version': version,
      'service.instance.id': randomUUID(),
      'host.name': hostName(config),
      'process.pid': process.pid,
      'postwren.roles': config.ROLES.join(','),
    },
    onDropped(spans, reason) {
      metrics.dropSpans(spans)
      dropped += spans
      if (performance.now() - warnedAt < WARN_EVERY_MS) return
      warnedAt = performance.now()
      log.warn({ spans: dropped, reason }, 'tracing: spans dropped')
      dropped = 0
    },
  })
  setTracing(tracing)
  return async (graceMs) => {
    setTracing(null)
    await tracing.stop(graceMs)
  }
}
