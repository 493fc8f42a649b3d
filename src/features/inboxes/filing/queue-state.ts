import { MAX_COUNTED, readBounded } from '../../../kernel/db/bounded-read.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { joinEvent } from '../../../kernel/outbox/events.ts'
import { unfiledMail } from './pending.ts'

/** How filing stands. The number is counted up to MAX_COUNTED. */
export interface FilingQueue {
  readonly noted: number
  /** Of what is noted; 0 when there is nothing. */
  readonly oldestDueSeconds: number
}

/** For the metrics. */
export async function readFilingQueue(db: Database): Promise<FilingQueue> {
  const [row] = await readBounded<FilingQueue>(
    db,
    sql`
    with noted as materialized (select team_id, event_id from ${unfiledMail.pending} limit ${raw(String(MAX_COUNTED))}),
    first_noted as (select team_id, event_id from noted order by event_id limit 1)
    select (select count(*) from noted)::int as noted, greatest(0, extract(epoch from ${db.clock.now()}::timestamptz - (
      select o.created_at from first_noted n ${joinEvent('n')})))::float8 as "oldestDueSeconds"`,
  )
  return row!
}
