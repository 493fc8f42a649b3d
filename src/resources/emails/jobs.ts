import { deleteKeysBefore } from '../../delivery/idempotency-keys.ts'
import { hours } from '../../platform/jobs/job.ts'
import { retention } from '../../platform/jobs/retention.ts'

/** Past its day a key means nothing, whether it is still there or not. */
export const sweepIdempotencyKeys = retention({
  name: 'emails.idempotency-keys.sweep',
  keepSeconds: () => hours(24),
  deleteBefore: deleteKeysBefore,
})
