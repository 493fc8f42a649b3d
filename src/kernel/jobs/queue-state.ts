import { MAX_COUNTED, readBounded } from '../db/bounded-read.ts'
import type { Database } from '../db/database.ts'
import { raw, sql } from '../db/sql.ts'

/** How the jobs of one name stand. Those that wait are counted up to 1,000 of each name, the others up to MAX_COUNTED of all. */
export interface JobQueue {
  readonly name: string
  readonly waiting: number
  readonly held: number
  readonly failed: number
  /** 0 when none is due. */
  readonly oldestDueSeconds: number
}

const LIMIT = raw(String(MAX_COUNTED))
const LIMIT_EACH = raw('1000')

/** For the metrics: index probes for each name, whose cost does not grow with the queue. */
export function readJobQueues(db: Database, names: readonly string[]): Promise<JobQueue[]> {
  const now = db.clock.now()
  const waiting = sql`j.name = queue.name and j.failed_at is null and j.holder is null`
  return readBounded<JobQueue>(
    db,
    sql`
    with held as materialized (select name from jobs where holder is not null limit ${LIMIT}),
    failed as materialized (select name from jobs where failed_at is not null limit ${LIMIT})
    select queue.name,
      (select count(*) from (select from jobs j where ${waiting} order by j.run_at limit ${LIMIT_EACH}) j)::int as waiting,
      (select count(*) from held where held.name = queue.name)::int as held,
      (select count(*) from failed where failed.name = queue.name)::int as failed,
      coalesce((
        select extract(epoch from ${now}::timestamptz - j.run_at) from jobs j
        where ${waiting} and j.run_at <= ${now} order by j.run_at limit 1), 0)::float8 as "oldestDueSeconds"
    from unnest(${names}::text[]) as queue (name)`,
  )
}
