import { setTimeout as wait } from 'node:timers/promises'

export interface RecordQueueParts {
  /** Takes a batch, each record a line without its end. Throws: it was not taken. Called again when it has ended. */
  hand(records: readonly string[]): Promise<void>
  onTaken(records: number): void
  onDropped(records: number, reason: Error): void
  /** Of a batch. */
  readonly maxBatchRecords?: number
  /** How long the first record of a batch waits for others. */
  readonly restMs?: number
}

const MAX_QUEUE_BYTES = 8 * 1024 * 1024
const MAX_BATCH_BYTES = 512 * 1024

const FULL = new Error('the queue is full')
const STOPPED = new Error('the process stops')

/**
 * Hands records over in batches, one at a time, while nobody waits for it. A disk that is full or a receiver that is away costs records and nothing
 * else: what does not fit into the queue is dropped, and so is a batch that was not taken.
 */
export class RecordQueue {
  readonly #parts: RecordQueueParts
  #records: string[] = []
  #bytes = 0
  #timer: NodeJS.Timeout | undefined
  #handing: Promise<void> | null = null
  #isStopped = false

  constructor(parts: RecordQueueParts) {
    this.#parts = parts
  }

  add(record: string) {
    // As many characters, which is near enough: the bound is on memory.
    if (this.#isStopped || this.#bytes + record.length > MAX_QUEUE_BYTES)
      return this.#parts.onDropped(1, this.#isStopped ? STOPPED : FULL)
    this.#records.push(record)
    this.#bytes += record.length
    if (this.#isBatchFull) this.#begin()
    else this.#timer ??= setTimeout(() => this.#begin(), this.#restMs).unref()
  }

  /** Until nothing is left. */
  async flush() {
    while (this.#records.length > 0 || this.#handing) {
      this.#begin()
      await this.#handing
    }
  }

  /** What is not taken by then is dropped. */
  async stop(graceMs: number) {
    this.#isStopped = true
    await Promise.race([this.flush(), wait(graceMs, undefined, { ref: false })])
    clearTimeout(this.#timer)
    if (this.#records.length > 0) this.#parts.onDropped(this.#records.length, STOPPED)
    this.#records = []
    this.#bytes = 0
  }

  get #restMs(): number {
    return this.#parts.restMs ?? 200
  }

  get #isBatchFull(): boolean {
    return (
      this.#bytes >= MAX_BATCH_BYTES ||
      this.#records.length >= (this.#parts.maxBatchRecords ?? Number.POSITIVE_INFINITY)
    )
  }

  #begin() {
    if (this.#handing) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#handing = this.#hand(this.#takeBatch()).finally(() => {
      this.#handing = null
      if (this.#isBatchFull) this.#begin()
      else if (this.#records.length > 0) this.#timer ??= setTimeout(() => this.#begin(), this.#restMs).unref()
    })
  }

  #takeBatch(): string[] {
    let bytes = 0
    const { maxBatchRecords = Number.POSITIVE_INFINITY } = this.#parts
    const end = this.#records.findIndex((record, index) => {
      bytes += record.length
      return index > 0 && (bytes > MAX_BATCH_BYTES || index >= maxBatchRecords)
    })
    const batch = this.#records.splice(0, end < 0 ? this.#records.length : end)
    this.#bytes -= batch.reduce((sum, { length }) => sum + length, 0)
    return batch
  }

  async #hand(batch: readonly string[]) {
    if (batch.length === 0) return
    try {
      await this.#parts.hand(batch)
      this.#parts.onTaken(batch.length)
    } catch (error) {
      this.#parts.onDropped(batch.length, error as Error)
    }
  }
}
