import { job } from '../definitions.ts'
import { foldEvents, uncountedEvents } from './fold.ts'

/** After so many it is the next team's turn. */
const MOST_AT_ONCE = 50_000

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
        if (!(await foldEvents(db, team, MOST_AT_ONCE))) isDone = false
      }
    }
  },
})
