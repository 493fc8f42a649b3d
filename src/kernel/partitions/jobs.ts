import type { Database } from '../db/database.ts'
import { hours, job } from '../jobs/job.ts'
import { makePartitions } from './make.ts'

/** Twice is as once: it makes what is missing. */
export const makePartitionsAhead = job<object, { readonly db: Database }>({
  name: 'partitions.make',
  everySeconds: hours(1),
  retryAfterSeconds: [],
  run: (_payload, { db, signal }) => makePartitions(db, signal),
})
