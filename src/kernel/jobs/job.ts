import type { Transaction } from '../db/database.ts'

/**
 * Something done in the background, as a value, with the services that it names. `run` may be called twice for one row (a worker can die after the work and
 * before the tick), so each job says why that is harmless. Payloads carry ids, not copies.
 */
export interface Job<Payload extends object = object, in Services = never> {
  readonly name: string
  /** How long to wait after the first, second, … failure. After the last one the job has failed for good. */
  readonly retryAfterSeconds: readonly number[]
  /** Set: the job is always there, and runs again this long after it ended. */
  readonly everySeconds?: number
  /**
   * Set: so many of this kind run at once in a process, in slots of their own. For what comes in floods, so that others do not wait
   * behind it, and for what mostly waits, where more at once cost little. Unset: it shares a few slots with all others.
   */
  readonly concurrency?: number
  /** Only for a kind with slots of its own. False: this process has no room for one more now. It is left to others, and asked again in a moment. */
  isReady?(services: Services): boolean
  /**
   * Set: when its process has ended so often while it ran alone, it is not run again but given up (a poison message). For what reads the
   * untrusted input: whatever makes it end a process would end every process that takes it over. To have been in flight when a process
   * ended is no evidence, but then it runs alone. A process that stops in order releases its jobs.
   */
  readonly maxCrashes?: number
  /** Begins to send something: it waits while nothing is to leave (`POSTWREN_HOLD`). */
  readonly isHoldable?: true
  /** `signal` aborts when the process stops: a long job ends at its next safe point and is carried on elsewhere. */
  run(payload: Payload, context: Services & { readonly signal: AbortSignal }): Promise<void>
  /** Commits together with the verdict that the job has failed for good. */
  giveUp?(payload: Payload, trx: Transaction): Promise<void>
}

export const job = <Payload extends object, Services = unknown>(
  definition: Job<Payload, Services>,
): Job<Payload, Services> => definition

export const minutes = (count: number) => count * 60
export const hours = (count: number) => count * 3_600
