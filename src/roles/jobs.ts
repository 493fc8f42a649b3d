import type { BlobStore } from '../platform/blobs/blob-store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/db/database.ts'
import type { Resolver } from '../platform/dns/resolver.ts'
import { readJobQueues } from '../platform/jobs/queue-state.ts'
import { Worker } from '../platform/jobs/worker.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Sealer } from '../platform/secrets.ts'
import { JOBS } from '../resources/index.ts'

export interface JobsParts {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
  readonly resolver: Resolver
  readonly blobs: BlobStore
  readonly sealer: Sealer
  readonly log: Log
  readonly metrics: Metrics
}

/** The background worker, and the size of its queue in the metrics. */
export function createWorker({ db, clock, config, resolver, blobs, sealer, log, metrics }: JobsParts): Worker {
  const names = JOBS.map(({ name }) => name)
  metrics.addQueue({ name: 'postwren_jobs', help: 'Jobs', labelNames: ['name'] }, async () =>
    (await readJobQueues(db, names)).map(({ name, oldestDueSeconds, ...counts }) => ({
      labels: { name },
      counts,
      oldestDueSeconds,
    })),
  )
  const jobs = config.HOLD === 'on' ? JOBS.filter(({ isHoldable }) => !isHoldable) : JOBS
  return new Worker(jobs, { db, clock, config, resolver, blobs, sealer, log, metrics })
}
