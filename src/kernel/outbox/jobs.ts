import { retention } from '../jobs/retention.ts'
import { deleteEventsBefore } from './queries.ts'

export const sweepEvents = retention({
  name: 'events.expire',
  keepSeconds: (config) => config.EVENT_RETENTION,
  deleteBefore: deleteEventsBefore,
})
