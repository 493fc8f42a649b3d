import { minutes } from '../../kernel/jobs/job.ts'
import { job } from '../definitions.ts'
import { backfillSlice, teamToBackfill } from './backfill.ts'
import { foldEvents, uncountedEvents } from './fold.ts'

/** After so many it is the next team's turn. */
const MAX_EVENTS_PER_TEAM = 50_000

/**
 * Keeps the list of uncounted events short. Who asks for metrics counts what is left, so this need not hurry. Running twice is
 * harmless: an event is counted by whoever takes it from the list.
 */
export const foldMetrics = job({
  name: 'metrics.fold',
  everySeconds: 10,
  retryAfterSeconds: [],
  async run(_payload, { db, signal }) {
    for (let isDone = false; !isDone; ) {
      isDone = true
      for await (const team of uncountedEvents.teams(db)) {
        signal.throwIfAborted()
        if (!(await foldEvents(db, team, MAX_EVENTS_PER_TEAM))) isDone = false
      }
    }
  },
})

/**
 * Makes the sums of counters from before there were sums, or from another cell. Running twice is harmless: a slice takes the place of what
 * is there of it.
 */
export const backfillSums = job({
  name: 'metrics.backfill',
  everySeconds: minutes(1),
  retryAfterSeconds: [],
  async run(_payload, { db, signal }) {
    for (let team = await teamToBackfill(db); team !== null; team = await teamToBackfill(db))
      while (!(await backfillSlice(db, team))) signal.throwIfAborted()
  },
})
