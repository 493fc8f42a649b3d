import { retention } from '../jobs/retention.ts'
import { rangesOf } from '../partitions/ranges.ts'
import { deleteEventsBefore } from './queries.ts'

export const sweepEvents = retention({
  name: 'events.expire',
  kind: 'events',
  ranges: rangesOf('outbox'),
  deleteBefore: deleteEventsBefore,
})
