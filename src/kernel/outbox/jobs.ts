import { retention } from '../jobs/retention.ts'
import { deleteEventsBefore } from './queries.ts'

export const sweepEvents = retention({
  name: 'outbox.sweep',
  kind: 'events',
  deleteBefore: deleteEventsBefore,
})
