import type { Database } from '../../../platform/db/database.ts'
import { sql } from '../../../platform/db/sql.ts'
import { job } from '../../definitions.ts'
import { foldEvents } from './fold.ts'

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
      for await (const team of teamsWithUncounted(db)) {
        signal.throwIfAborted()
        if (!(await foldEvents(db, team, MOST_AT_ONCE))) isDone = false
      }
    }
  },
})

/** One after the other, so that it costs a look for each of them and not one for each event. */
async function* teamsWithUncounted(db: Database): AsyncGenerator<string> {
  for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
    const [next] = await db.query<{ team: string }>(sql`
      select team_id as team from uncounted_events where team_id > ${last} order by team_id limit 1`)
    if (!next) return
    yield next.team
    last = next.team
  }
}
