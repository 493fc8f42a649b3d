import { hours } from '../../platform/jobs/job.ts'
import { retention } from '../../platform/jobs/retention.ts'
import { deleteKeysBefore } from './idempotency.ts'

/** Past its day a key means nothing, whether it is still there or not. */
export const sweepIdempotencyKeys = retention({
  name: 'emails.idempotency-keys.sweep',
  keepSeconds: () => hours(24),
  deleteBefore: deleteKeysBefore,
})
