import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes as OtelAttributes,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import { SpanQueue, type SpanQueueParts } from './span-queue.ts'
import type { Attributes, Span, SpanOptions, TraceContext, Tracing } from './tracing.ts'

export interface OtlpOptions extends Pick<SpanQueueParts, 'onDropped'> {
  /** Of the collector, without `/v1/traces`. */
  readonly url: string
  /** `Authorization=Bearer …,X-Scope=…`. */
  readonly headers: string | undefined
  /** Of the traces that begin here, from 0 to 1. */
  readonly sampling: number
  readonly resource: Attributes
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const

/** How long one batch may take. Whatever comes meanwhile waits in the queue, or is dropped. */
const EXPORT_MS = 5_000

/** Traces over OTLP/HTTP. Loaded only where they are wanted. */
export function openTracing({ url, headers, sampling, resource, onDropped }: OtlpOptions): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${url.replace(/\/+$/, '')}/v1/traces`,
    headers: headersOf(headers),
    timeoutMillis: EXPORT_MS,
  })
  const queue = new SpanQueue({ exporter, onDropped })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes(resource as OtelAttributes),
    sampler: new ParentBasedSampler({ root: sampled(sampling) }),
    spanLimits: { attributeValueLengthLimit: 500, attributeCountLimit: 64, eventCountLimit: 64, linkCountLimit: 8 },
    spanProcessors: [queue],
  })
  const tracer = provider.getTracer('postwren')
  const storage = new AsyncLocalStorage<Span | null>()
  return {
    begin(name, options = {}) {
      const { kind, attributes } = options
      const link = options.link && remote(options.link)
      const span = tracer.startSpan(
        name,
        {
          ...(kind && { kind: KINDS[kind] }),
          ...(attributes && { attributes: attributes as OtelAttributes }),
          ...(link && { links: [{ context: link }], root: true }),
        },
        contextOf(options),
      )
      return span.isRecording() ? new RecordedSpan(name, span) : null
    },
    run: (span, work) => storage.run(span, work),
    get active() {
      return storage.getStore() ?? null
    },
    async stop(graceMs) {
      // As long as there is a storage in use, Node 20 follows every promise of the process.
      storage.disable()
      await queue.stop(graceMs)
    },
  }
}

/** A share of the traces that begin here, and all that go on from one that was sampled. */
function sampled(ratio: number): Sampler {
  const share = new TraceIdRatioBasedSampler(ratio)
  return {
    shouldSample: (context, traceId, _name, _kind, _attributes, links) =>
      links.length > 0 ? { decision: SamplingDecision.RECORD_AND_SAMPLED } : share.shouldSample(context, traceId),
  }
}

function contextOf({ parent, traceparent, link }: SpanOptions) {
  if (link) return ROOT_CONTEXT
  const cause = parent ? remote(parent) : traceparent === undefined ? null : parsed(traceparent)
  return cause ? trace.setSpanContext(ROOT_CONTEXT, cause) : ROOT_CONTEXT
}

const remote = (context: TraceContext): SpanContext => ({
  traceId: context.slice(0, 32),
  spanId: context.slice(32),
  traceFlags: TraceFlags.SAMPLED,
  isRemote: true,
})

// Version 00 ends with the flags; a later one may go on behind them.
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:$|-)/

/** Null: it is none, and whoever sent it is treated as if there was no header. */
function parsed(header: string): SpanContext | null {
  const [, version, traceId, spanId, flags] = TRACEPARENT.exec(header.trim()) ?? []
  if (traceId === undefined || (version === '00' && header.trim().length !== 55)) return null
  return { traceId, spanId: spanId!, traceFlags: Number.parseInt(flags!, 16) & TraceFlags.SAMPLED, isRemote: true }
}

/** As `OTEL_EXPORTER_OTLP_HEADERS` has them. */
function headersOf(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at > 0 ? [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]] : []
  })
  return Object.fromEntries(pairs)
}

/** Values may be written as in URLs: `Basic%20…`. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

class RecordedSpan implements Span {
  readonly name: string
  readonly context: TraceContext
  readonly #span: OtelSpan

  constructor(name: string, span: OtelSpan) {
    const { traceId, spanId } = span.spanContext()
    this.name = name
    this.context = traceId + spanId
    this.#span = span
  }

  set(attributes: Attributes) {
    this.#span.setAttributes(attributes as OtelAttributes)
  }

  event(name: string, attributes?: Attributes) {
    this.#span.addEvent(name, attributes as OtelAttributes | undefined)
  }

  end(failure?: string) {
    if (failure !== undefined) this.#span.setStatus({ code: SpanStatusCode.ERROR, message: failure })
    this.#span.end()
  }
}
