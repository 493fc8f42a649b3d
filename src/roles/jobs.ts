import { readJobQueues } from '../platform/jobs/queue-state.ts'
import { Worker } from '../platform/jobs/worker.ts'
import { JOBS } from '../resources/index.ts'
import type { Services } from '../resources/services.ts'

/** The background worker, and the size of its queue in the metrics. */
export function createWorker(services: Services): Worker<Services> {
  const { db, config, metrics } = services
  const names = JOBS.map(({ name }) => name)
  metrics.addQueue({ name: 'postwren_jobs', help: 'Jobs', labelNames: ['name'] }, async () =>
    (await readJobQueues(db, names)).map(({ name, oldestDueSeconds, ...counts }) => ({
      labels: { name },
      counts,
      oldestDueSeconds,
    })),
  )
  const jobs = config.HOLD === 'on' ? JOBS.filter(({ isHoldable }) => !isHoldable) : JOBS
  return new Worker(jobs, services)
}
