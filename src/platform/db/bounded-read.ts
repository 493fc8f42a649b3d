import type { Database } from './database.ts'
import { type Sql, sql } from './sql.ts'

// Index probes, whatever the statistics say; and two seconds at the most, should somebody's long transaction have left more dead
// rows behind than anybody should walk through for a number.
const BOUNDED = sql`
  select set_config('statement_timeout', '2000', true), set_config('enable_seqscan', 'off', true),
    set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true)`

/** Reads what the metrics need of queues: by index, and not for long. */
export function readBounded<Row = Record<string, unknown>>(db: Database, statement: Sql): Promise<Row[]> {
  return db.transaction(async (trx) => {
    await trx.query(BOUNDED)
    return trx.query<Row>(statement)
  })
}

/** Rows are counted up to here: beyond it the exact number changes nothing, and counting it would cost what the queue is long. */
export const MAX_COUNTED = 10_000
