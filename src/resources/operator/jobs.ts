import { foldUsage } from '../../limits/usage.ts'
import { hours, type Job } from '../../platform/jobs/job.ts'
import { job } from '../definitions.ts'
import type { Services } from '../services.ts'

/** Adds up what was counted on days that are over. Running twice is harmless: what was added up is one row then. */
export const foldUsageOfDays: Job<object, Services> = job({
  name: 'usage.fold',
  everySeconds: hours(6),
  retryAfterSeconds: [],
  run: (_payload, { db }) => foldUsage(db),
})
