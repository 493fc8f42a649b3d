import { Worker } from '../platform/jobs/worker.ts'
import { JOBS } from '../resources/index.ts'
import type { Services } from '../resources/services.ts'

/** The background worker. */
export function createWorker(services: Services): Worker<Services> {
  const { config } = services
  const jobs = config.HOLD === 'on' ? JOBS.filter(({ isHoldable }) => !isHoldable) : JOBS
  return new Worker(jobs, services)
}
