/** Where a trace goes on: 32 hexadecimal digits of the trace's id, then the 16 of a span in it. Only of traces that are sampled. */
export type TraceContext = string

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A piece of work that a trace shows. No address, content or secret belongs into it. */
export interface Span {
  readonly name: string
  readonly context: TraceContext
  set(attributes: Attributes): void
  /** Something that happened at a moment in it. */
  event(name: string, attributes?: Attributes): void
  /** `failure`: a short reason of ours, never what others have said. */
  end(failure?: string): void
}

export interface SpanOptions {
  readonly kind?: 'server' | 'client' | 'producer' | 'consumer'
  readonly attributes?: Attributes
  /** The span that caused it. */
  readonly parent?: TraceContext | undefined
  /** The header of a request from outside: whoever began the trace has decided whether it is sampled. */
  readonly traceparent?: string | undefined
  /** It begins a trace of its own, sampled as this one was. */
  readonly link?: TraceContext | undefined
}

export interface Tracing {
  /** Without a parent, a header or a link it is the beginning of a trace. Null: it is not sampled. */
  begin(name: string, options?: SpanOptions): Span | null
  /** What is called in `work`, and what that waits for, has `span` as the active one. Null: none. */
  run<Result>(span: Span | null, work: () => Result): Result
  readonly active: Span | null
  /** Sends what is left, and ends. */
  stop(graceMs: number): Promise<void>
}

/**
 * Null: tracing is off, which is all that it costs then: `tracing?.begin(…)` makes no object. One for a process, like its log, and no part
 * of the services, since what it shows crosses all of them.
 */
export let tracing: Tracing | null = null

export function setTracing(next: Tracing | null) {
  tracing = next
}

/** `traceparent` of a request to others. */
export const traceparentOf = (context: TraceContext) => `00-${context.slice(0, 32)}-${context.slice(32)}-01`

/** As a value of the type bytea, of which it takes 24 bytes. */
export const bytesOfContext = (context: TraceContext) => Buffer.from(context, 'hex')

/**
 * What comes later than this has a trace of its own, with a link: scheduled mail, retries, a backlog. A trace is put together within minutes by those
 * who store it, and one that lasts for hours would be cut, and say nothing about how long anything took.
 */
const MAX_TRACE_MS = 600_000

/** How work goes on that was caused so long ago. */
export const causedBy = (context: TraceContext, ageMs: number): Pick<SpanOptions, 'parent' | 'link'> =>
  ageMs > MAX_TRACE_MS ? { link: context } : { parent: context }

/** The context of what was caused so long ago, for what goes on with it. Undefined: its trace is over. */
export const whileRecent = (context: TraceContext | undefined, ageMs: number): TraceContext | undefined =>
  ageMs > MAX_TRACE_MS ? undefined : context

/** Ends a span with what it was for, however that ends. */
export async function spanning<Result>(span: Span | null | undefined, work: () => Promise<Result>): Promise<Result> {
  if (!span) return work()
  try {
    const result = await tracing!.run(span, work)
    span.end()
    return result
  } catch (error) {
    span.end((error as Error).name)
    throw error
  }
}
