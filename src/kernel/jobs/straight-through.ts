import type { TraceContext } from '../../platform/observability/tracing.ts'

/** A job that is about to be written, due at once. */
export interface FreshJob {
  readonly id: string
  readonly team: string
  /** What it runs with here. It may have more in memory than its row does, as long as it could do without. */
  readonly payload: object
  readonly runAt: Date
  readonly trace?: TraceContext | undefined
}

/** Jobs whose running is reserved in this process. Ends in one of two ways. */
export interface JobHandOver {
  /** Holds the rows of the jobs that are handed over. */
  readonly node: number
  /** Whether all of them are: then nobody has to look for due ones. */
  readonly isForAll: boolean
  has(id: string): boolean
  /** All of them were written: they begin. */
  committed(): void
  /** They were not, or nobody knows. */
  failed(error: unknown): void
}

/**
 * Takes jobs on in the process that enqueues them: their rows are written as held by its node, under the first claim, and they run with what
 * is in memory.
 */
export interface TakesJobs {
  /** Asked before they are written. Those that it takes are in flight from here on. Null: none. */
  reserve(name: string, jobs: readonly FreshJob[]): JobHandOver | null
}

/** The way to the job worker of this process, if it has one. */
export class StraightJobs implements TakesJobs {
  #worker: TakesJobs | null = null

  runThrough(worker: TakesJobs) {
    this.#worker = worker
  }

  reserve(name: string, jobs: readonly FreshJob[]): JobHandOver | null {
    return jobs.length > 0 ? (this.#worker?.reserve(name, jobs) ?? null) : null
  }
}
