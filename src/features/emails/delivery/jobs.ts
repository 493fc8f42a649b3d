import type { Database } from '../../../kernel/db/database.ts'
import { type Job, job } from '../../../kernel/jobs/job.ts'
import { retention } from '../../../kernel/jobs/retention.ts'
import { DELIVERIES_CHANNEL } from './ledger/queries.ts'
import { resumeHeld } from './ledger/set-aside.ts'
import { FORGET_SECONDS } from './pace/next-pause.ts'
import { deletePausesBefore } from './pace/pause-store.ts'
import { deletePacesBefore, KEEP_SECONDS } from './pace/store.ts'
import { deleteWarmUpsBefore, KEEP_WARM_UPS_SECONDS } from './sources/warm-up-store.ts'

/**
 * Makes mail due again that was set aside for teams that are not suspended any more, and for holds that are released. Enqueued with either, and
 * recurring for what was missed. Running twice is harmless: each takes what is still aside.
 */
export const takeUpMail: Job<object, { readonly db: Database }> = job({
  name: 'deliveries.take-up',
  everySeconds: 30,
  retryAfterSeconds: [1, 5, 30],
  async run(_payload, { db, signal }) {
    for (let isMore = true; isMore; ) {
      signal.throwIfAborted()
      isMore = await resumeHeld(db)
      db.signals.announce(DELIVERIES_CHANNEL)
    }
  },
})

export const sweepDestinationPauses = retention({
  name: 'deliveries.sweep-pauses',
  keepSeconds: () => FORGET_SECONDS,
  deleteBefore: deletePausesBefore,
})

export const sweepPaces = retention({
  name: 'deliveries.sweep-paces',
  keepSeconds: () => KEEP_SECONDS,
  deleteBefore: deletePacesBefore,
})

export const sweepWarmUps = retention({
  name: 'deliveries.sweep-warm-ups',
  keepSeconds: () => KEEP_WARM_UPS_SECONDS,
  deleteBefore: deleteWarmUpsBefore,
})
