import { hours, minutes } from '../../../kernel/jobs/job.ts'
import { job } from '../../definitions.ts'
import { stripLabel } from '../filing/changes.ts'

/** Threads in a transaction: nobody waits for the inbox for longer than some 50 ms. */
const SLICE = 500

/** Takes a label that was deleted from the threads that still name it. Running it twice goes on with those that are left. */
export const stripDeletedLabel = job<{ team: string; inbox: string; label: string }>({
  name: 'inboxes.labels.strip',
  retryAfterSeconds: [1, 5, 30, minutes(2), minutes(10), hours(1)],
  async run(label, { db, signal }) {
    for (let stripped = SLICE; stripped === SLICE; ) {
      signal.throwIfAborted()
      stripped = await db.transaction((trx) => stripLabel(trx, label, SLICE))
    }
  },
})
