import { type Feature, jobsOf } from '../../features/feature.ts'
import type { Services } from '../../features/services.ts'
import { Worker } from '../../kernel/jobs/worker.ts'

/** The background worker. What this process enqueues may go straight to it. */
export function createWorker(product: Feature, services: Services): Worker<Services> {
  const jobs = jobsOf(product)
  const worker = new Worker(
    services.config.HOLD === 'on' ? jobs.filter(({ isHoldable }) => !isHoldable) : jobs,
    services,
  )
  services.straightJobs.runThrough(worker.straightThrough)
  return worker
}
