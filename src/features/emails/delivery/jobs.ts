import type { Database } from '../../../kernel/db/database.ts'
import { type Job, job } from '../../../kernel/jobs/job.ts'
import { retention } from '../../../kernel/jobs/retention.ts'
import { deletePausesBefore, FORGET_SECONDS } from './destination-pauses.ts'
import { DELIVERIES_CHANNEL } from './queries.ts'
import { takeUpSome } from './suspended.ts'

/**
 * Puts mail back into the line that was set aside for teams that are not suspended any more. Enqueued when a suspension is lifted, and
 * recurring for what was missed. Running twice is harmless: each takes what is still aside.
 */
export const takeUpMail: Job<object, { readonly db: Database }> = job({
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

export const sweepDestinationPauses = retention({
  name: 'deliveries.sweep-pauses',
  keepSeconds: () => FORGET_SECONDS,
  deleteBefore: deletePausesBefore,
})
