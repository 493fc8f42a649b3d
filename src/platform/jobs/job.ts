import type { BlobStore } from '../blobs/blob-store.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import type { Resolver } from '../dns/resolver.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Sealer } from '../secrets.ts'

/** What a job may use. */
export interface JobContext {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
  readonly resolver: Resolver
  readonly blobs: BlobStore
  readonly sealer: Pick<Sealer, 'deriveKey'>
  readonly log: Log
  readonly metrics: Pick<Metrics, 'countCheck'>
  /** Aborts when the process stops: a long job ends at its next safe point and is carried on elsewhere. */
  readonly signal: AbortSignal
}

/**
 * Something done in the background, as a value. `run` may be called twice for one row (a worker can die after the work and
 * before the tick), so each job says why that is harmless. Payloads carry ids, not copies.
 */
export interface Job<Payload extends object = object> {
  readonly name: string
  /** How long to wait after the first, second, … failure. After the last one the job has failed for good. */
  readonly retryAfterSeconds: readonly number[]
  /** Set: the job is always there, and runs again this long after it ended. */
  readonly everySeconds?: number
  /**
   * Set: so many of this kind run at once in a process, in places of their own. For what comes in floods, so that others do not wait
   * behind it, and for what mostly waits, where more at once cost little. Unset: it shares a few places with all others.
   */
  readonly places?: number
  /**
   * Set: when its process has ended so often while it ran, it is not run again but given up. For what reads the input of strangers:
   * whatever makes it end a process would end every process that takes it over. A process that stops in order hands its jobs back.
   */
  readonly maxCrashes?: number
  /** Begins to send something: it waits while nothing is to leave (`POSTWREN_HOLD`). */
  readonly isHoldable?: true
  run(payload: Payload, context: JobContext): Promise<void>
  /** Commits together with the verdict that the job has failed for good. */
  giveUp?(payload: Payload, trx: Transaction): Promise<void>
}

export const job = <Payload extends object>(definition: Job<Payload>): Job<Payload> => definition

export const minutes = (count: number) => count * 60
export const hours = (count: number) => count * 3_600
