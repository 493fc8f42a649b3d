import type { Job } from '../../kernel/jobs/job.ts'
import { job } from '../definitions.ts'
import { deleteOldUsage, foldSome } from '../limits/usage.ts'
import type { Services } from '../services.ts'

/** Keeps a single row for a day of a team, of what was counted in many. Running twice is harmless: what was added up is that row. */
export const foldUsageOfDays: Job<object, Services> = job({
  name: 'usage.fold',
  everySeconds: 60,
  retryAfterSeconds: [],
  async run(_payload, { db, signal }) {
    while (await foldSome(db)) signal.throwIfAborted()
    await deleteOldUsage(db)
  },
})
