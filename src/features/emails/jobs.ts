import { hours } from '../../kernel/jobs/job.ts'
import { retention } from '../../kernel/jobs/retention.ts'
import { deleteKeysBefore } from './delivery/idempotency-keys.ts'

/** Past its day a key means nothing, whether it is still there or not. */
export const sweepIdempotencyKeys = retention({
  name: 'emails.idempotency-keys.sweep',
  keepSeconds: () => hours(24),
  deleteBefore: deleteKeysBefore,
})
