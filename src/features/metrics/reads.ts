import { raw, type Sql, sql } from '../../kernel/db/sql.ts'
import type { Count } from './names.ts'

// What others read of the counters.

/** What a broadcast is judged by. */
const OF_BROADCAST = [
  ...(['delivered', 'bounced', 'bounced_permanent', 'complained', 'unsubscribed', 'suppressed', 'failed'] as const),
  ...(['unique_opened', 'unique_clicked'] as const),
] satisfies Count[]

export type BroadcastCounts = Readonly<Record<(typeof OF_BROADCAST)[number], number>>

/** What has been counted of the emails of a broadcast since a moment, as `BroadcastCounts`: some rows for each quarter of an hour of the team. */
export const countsOfBroadcast = (team: string, id: string, since: Date): Sql => sql`
  (select ${raw(OF_BROADCAST.map((name) => `coalesce(sum(${name}), 0)::float8 as ${name}`).join(', '))}
  from metric_counts
  where team_id = ${team} and quarter >= date_bin('15 minutes', ${since}::timestamptz, 'epoch') and broadcast_id = ${id})`
