import { DELIVERIES_CHANNEL } from '../../delivery/queries.ts'
import { takeUpSome } from '../../delivery/suspended.ts'
import { foldUsage } from '../../limits/usage.ts'
import { hours, type Job } from '../../platform/jobs/job.ts'
import { job } from '../definitions.ts'
import type { Services } from '../services.ts'

/**
 * Puts mail back into the line that was set aside for teams that are not suspended any more. Enqueued when a suspension is lifted, and
 * recurring for what was missed. Running twice is harmless: each takes what is still aside.
 */
export const takeUpMail: Job<object, Services> = job({
  name: 'deliveries.take-up',
  everySeconds: 30,
  retryAfterSeconds: [1, 5, 30],
  async run(_payload, { db, signal }) {
    for (let isMore = true; isMore; ) {
      signal.throwIfAborted()
      isMore = await takeUpSome(db)
      db.signals.announce(DELIVERIES_CHANNEL)
    }
  },
})

/** Adds up what was counted on days that are over. Running twice is harmless: what was added up is one row then. */
export const foldUsageOfDays: Job<object, Services> = job({
  name: 'usage.fold',
  everySeconds: hours(6),
  retryAfterSeconds: [],
  run: (_payload, { db }) => foldUsage(db),
})
