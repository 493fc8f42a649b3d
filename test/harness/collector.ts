import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { startTracing } from '../../src/app/roles/tracing.ts'
import type { Log } from '../../src/platform/observability/log.ts'
import { Metrics } from '../../src/platform/observability/metrics.ts'
import { loadConfig } from '../../src/platform/settings/config.ts'
import { ObservedList } from './changes.ts'
import { readableLog } from './log.ts'

/** A span as the collector got it, with its attributes as an object. */
export interface CollectedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly kind: number
  readonly attributes: Record<string, unknown>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly events: readonly { readonly name: string; readonly attributes: Record<string, unknown> }[]
  readonly status: { readonly code?: number; readonly message?: string }
  readonly resource: Record<string, unknown>
}

// biome-ignore lint/suspicious/noExplicitAny: what is on the wire
type Wire = any

const attributesOf = (given: Wire): Record<string, unknown> =>
  Object.fromEntries((given ?? []).map(({ key, value }: Wire) => [key, Object.values(value)[0]]))

function spansIn(body: Wire): CollectedSpan[] {
  return body.resourceSpans.flatMap(({ resource, scopeSpans }: Wire) =>
    scopeSpans.flatMap(({ spans }: Wire) =>
      spans.map((span: Wire) => ({
        ...{ name: span.name, traceId: span.traceId, spanId: span.spanId, kind: span.kind, status: span.status },
        parentSpanId: span.parentSpanId || undefined,
        attributes: attributesOf(span.attributes),
        links: (span.links ?? []).map(({ traceId, spanId }: Wire) => ({ traceId, spanId })),
        events: (span.events ?? []).map(({ name, attributes }: Wire) => ({
          name,
          attributes: attributesOf(attributes),
        })),
        resource: attributesOf(resource.attributes),
      })),
    ),
  )
}

export type Collector = Awaited<ReturnType<typeof startCollector>>

/** A collector that speaks OTLP/HTTP with JSON, on loopback, and keeps what it is sent. */
export async function startCollector(answer: (response: ServerResponse) => void = (response) => response.end('{}')) {
  const spans = new ObservedList<CollectedSpan>()
  const requests = new ObservedList<{ readonly path: string; readonly headers: IncomingHttpHeaders }>()
  let text = ''
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    text += body
    spans.push(...spansIn(JSON.parse(body)))
    requests.push({ path: request.url!, headers: request.headers })
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    /** All that was sent. */
    text: () => text,
  }
}

/** Traces all that this process does into a collector until the test ends. Gives back how to end it earlier. */
export async function traceInto(
  collector: { readonly url: string },
  settings: Record<string, string> = {},
  log: Log = readableLog().log,
) {
  const metrics = new Metrics()
  const config = loadConfig({ POSTWREN_OTLP_URL: collector.url, ...settings })
  const stop = await startTracing(config, { log, metrics, version: '0.0.0' })
  onTestFinished(() => stop(0))
  return { stop: (graceMs = 5_000) => stop(graceMs), metrics }
}

/** The spans of a trace as a tree, by name: `{ 'POST /emails': { 'email.accept': {} } }`. Throws when it is not one tree. */
export function treeOf(spans: readonly CollectedSpan[], traceId: string): Tree {
  const own = spans.filter((span) => span.traceId === traceId)
  const ids = new Set(own.map(({ spanId }) => spanId))
  const roots = own.filter(({ parentSpanId }) => parentSpanId === undefined || !ids.has(parentSpanId))
  if (roots.length !== 1) throw new Error(`a trace with ${roots.length} roots: ${own.map(({ name }) => name)}`)
  const below = (parent: CollectedSpan): Tree =>
    Object.fromEntries(
      own
        .filter(({ parentSpanId }) => parentSpanId === parent.spanId)
        .map((span) => [titleOf(span), below(span)] as const)
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    )
  return { [titleOf(roots[0]!)]: below(roots[0]!) }
}

export interface Tree {
  readonly [name: string]: Tree
}

const titleOf = ({ name, attributes }: CollectedSpan) =>
  name === 'webhook.deliver' ? `${name} ${attributes['postwren.event.type']}` : name
