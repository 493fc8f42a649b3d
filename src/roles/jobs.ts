import type { BlobStore } from '../platform/blobs/blob-store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/db/database.ts'
import type { Resolver } from '../platform/dns/resolver.ts'
import { countJobs } from '../platform/jobs/queries.ts'
import { Worker } from '../platform/jobs/worker.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { JOBS } from '../resources/index.ts'

export interface JobsParts {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
  readonly resolver: Resolver
  readonly blobs: BlobStore
  readonly log: Log
  readonly metrics: Metrics
}

/** The background worker, and the size of its queue in the metrics. */
export function createWorker({ db, clock, config, resolver, blobs, log, metrics }: JobsParts): Worker {
  metrics.addGauge(
    { name: 'postwren_jobs', help: 'Jobs by name and state.', labelNames: ['name', 'state'] },
    async () => {
      const counts = await countJobs(db)
      return counts.flatMap(({ name, ...states }) =>
        Object.entries(states).map(([state, value]) => ({ labels: { name, state }, value })),
      )
    },
  )
  const jobs = config.HOLD === 'on' ? JOBS.filter(({ isHoldable }) => !isHoldable) : JOBS
  return new Worker(jobs, { db, clock, config, resolver, blobs, log })
}
