import type { Database } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { foldEvents } from './fold.ts'

/** What a question may take upon itself to count: half a second at most. More than that is left to the job. */
export const MOST_UNCOUNTED = 10_000

export interface EmailTotals {
  readonly sent: number
  readonly received: number
}

/**
 * Emails since a moment at the beginning of a quarter of an hour, each once, however many recipients it has. The counters have a row
 * for a quarter, a domain and a broadcast: a month with a million emails is three thousand rows for each domain.
 */
export async function countEmails(db: Database, team: string, since: readonly Date[]): Promise<EmailTotals[]> {
  await foldEvents(db, team, MOST_UNCOUNTED)
  return db.queryPooled<EmailTotals>(sql`
    select coalesce(sum(sent), 0)::float8 as sent, coalesce(sum(received), 0)::float8 as received
    from unnest(${since.map((moment) => moment.toISOString())}::timestamptz[]) with ordinality as begin (at, place)
    left join metric_counts c on c.team_id = ${team} and c.quarter >= begin.at
    group by place order by place`)
}
