import { JOBS } from '../../features/index.ts'
import type { Services } from '../../features/services.ts'
import { Worker } from '../../kernel/jobs/worker.ts'

/** The background worker. */
export function createWorker(services: Services): Worker<Services> {
  const { config } = services
  const jobs = config.HOLD === 'on' ? JOBS.filter(({ isHoldable }) => !isHoldable) : JOBS
  return new Worker(jobs, services)
}
