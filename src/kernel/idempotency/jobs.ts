import { hours } from '../jobs/job.ts'
import { retention } from '../jobs/retention.ts'
import { deleteKeysBefore } from './queries.ts'

/** Past its day a key means nothing, whether it is still there or not. */
export const sweepIdempotencyKeys = retention({
  // Its row has this name in every database.
  name: 'emails.idempotency-keys.sweep',
  keepSeconds: () => hours(24),
  deleteBefore: deleteKeysBefore,
})
