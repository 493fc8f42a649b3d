import { type Feature, jobsOf } from '../../features/feature.ts'
import type { Services } from '../../features/services.ts'
import { Worker } from '../../kernel/jobs/worker.ts'

/** The background worker. */
export function createWorker(product: Feature, services: Services): Worker<Services> {
  const jobs = jobsOf(product)
  return new Worker(services.config.HOLD === 'on' ? jobs.filter(({ isHoldable }) => !isHoldable) : jobs, services)
}
