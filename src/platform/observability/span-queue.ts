import { setTimeout as wait } from 'node:timers/promises'
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base'

export interface SpanQueueParts {
  readonly exporter: Pick<SpanExporter, 'export' | 'shutdown'>
  onDropped(spans: number, reason: string): void
}

/** Some 2 kB each. */
const MAX_SPANS = 4_096
const BATCH_SPANS = 512
const REST_MS = 1_000
/** The exporter gives up earlier, unless the collector sends its answer byte by byte. */
const MAX_EXPORT_MS = 15_000

/**
 * Sends spans in batches, one at a time. A collector that is away, slow or silent costs spans and nothing else: what does not fit into the queue
 * is dropped, and so is a batch that was not taken. (The SDK's processor drops without telling how many.)
 */
export class SpanQueue implements SpanProcessor {
  readonly #parts: SpanQueueParts
  #spans: ReadableSpan[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | null = null
  /** Of the batch that is being sent. */
  #onTheirWay = 0
  #isStopped = false

  constructor(parts: SpanQueueParts) {
    this.#parts = parts
  }

  onStart() {}

  onEnd(span: ReadableSpan) {
    if (this.#isStopped || this.#spans.length >= MAX_SPANS)
      return this.#parts.onDropped(1, this.#isStopped ? 'the process stops' : 'the queue is full')
    this.#spans.push(span)
    if (this.#spans.length >= BATCH_SPANS) this.#begin()
    else this.#timer ??= setTimeout(() => this.#begin(), REST_MS).unref()
  }

  async forceFlush() {
    while (this.#spans.length > 0 || this.#sending) {
      this.#begin()
      await this.#sending
    }
  }

  shutdown() {
    return this.stop(0)
  }

  /** What is not taken by then is dropped. */
  async stop(graceMs: number) {
    this.#isStopped = true
    await Promise.race([this.forceFlush(), wait(graceMs, undefined, { ref: false })])
    clearTimeout(this.#timer)
    const left = this.#spans.length + this.#onTheirWay
    this.#spans = []
    this.#onTheirWay = 0
    if (left > 0) this.#parts.onDropped(left, 'the process stops')
    // Without waiting: it waits for requests that nobody answers.
    void this.#parts.exporter.shutdown().catch(() => {})
  }

  #begin() {
    if (this.#sending) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sending = this.#send().finally(() => {
      this.#sending = null
      if (this.#spans.length >= BATCH_SPANS) this.#begin()
      else if (this.#spans.length > 0) this.#timer ??= setTimeout(() => this.#begin(), REST_MS).unref()
    })
  }

  async #send() {
    const batch = this.#spans.splice(0, BATCH_SPANS)
    if (batch.length === 0) return
    this.#onTheirWay = batch.length
    const error = await new Promise<Error | undefined>((resolve) => {
      setTimeout(() => resolve(new Error('the collector does not answer')), MAX_EXPORT_MS).unref()
      this.#parts.exporter.export(batch, ({ code, error }) =>
        resolve(code === 0 ? undefined : (error ?? new Error('the collector did not take them'))),
      )
    })
    // None: it was counted when the process stopped.
    if (error && this.#onTheirWay > 0) this.#parts.onDropped(batch.length, error.message)
    this.#onTheirWay = 0
  }
}
