import { raw, type Sql, sql } from '../../kernel/db/sql.ts'
import type { Count } from './names.ts'

// What others read of the counters.

/** What a broadcast is judged by. */
const OF_BROADCAST = [
  ...(['delivered', 'bounced', 'bounced_permanent', 'complained', 'unsubscribed', 'suppressed', 'failed'] as const),
  ...(['unique_opened', 'unique_clicked'] as const),
] satisfies Count[]

export type BroadcastCounts = Readonly<Record<(typeof OF_BROADCAST)[number], number>>

/** Whether a team's sums have all of its counters. Until they do, sums are nothing to go by. */
export const sumsAreWhole = (team: string): Sql =>
  sql`not exists (select from metric_backfills where team_id = ${team})`

/** What has been counted of the emails of a broadcast since a moment, as `BroadcastCounts`: some rows for each day of the team. */
export const countsOfBroadcast = (team: string, id: string, since: Date): Sql => sql`
  (select ${raw(OF_BROADCAST.map((name) => `coalesce(sum(${name}), 0)::float8 as ${name}`).join(', '))}
  from (
    select ${COLUMNS} from metric_sums
    where team_id = ${team} and span = 'day' and start >= date_bin('1 day', ${since}::timestamptz, 'epoch') and broadcast_id = ${id}
      and ${sumsAreWhole(team)}
    union all
    select ${COLUMNS} from metric_counts
    where team_id = ${team} and quarter >= date_bin('15 minutes', ${since}::timestamptz, 'epoch') and broadcast_id = ${id}
      and not ${sumsAreWhole(team)}) counted)`

const COLUMNS = raw(OF_BROADCAST.join(', '))
