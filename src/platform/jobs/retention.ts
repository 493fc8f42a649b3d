import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { hours, type Job, job, minutes } from './job.ts'
import { deleteFailedJobsBefore } from './queries.ts'

const BATCH = 5_000

interface RetentionServices {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
}

/** A job that deletes what is past its time, in batches, so that no statement takes long. Running twice deletes nothing more. */
export function retention(rule: {
  name: string
  keepSeconds(config: Config): number
  /** Deletes some, and tells whether there may be more. */
  deleteBefore(db: Database, moment: Date, limit: number): Promise<boolean>
}): Job<object, RetentionServices> {
  return job({
    name: rule.name,
    everySeconds: minutes(15),
    retryAfterSeconds: [],
    async run(_payload, { db, clock, config, signal }) {
      const moment = new Date(clock.now().getTime() - rule.keepSeconds(config) * 1_000)
      while (await rule.deleteBefore(db, moment, BATCH)) signal.throwIfAborted()
    },
  })
}

export const sweepFailedJobs = retention({
  name: 'jobs.sweep',
  keepSeconds: () => 30 * hours(24),
  deleteBefore: deleteFailedJobsBefore,
})
