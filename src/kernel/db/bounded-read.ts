import type { Database, Transaction } from './database.ts'
import { type Sql, sql } from './sql.ts'

/** Should somebody's long transaction have left more dead rows behind than anybody should walk through for a number. */
const METRICS_MS = 2_000

/** From here on each statement of the transaction is planned for its values, and takes no longer than this. */
export const boundStatements = (trx: Transaction, statementMs: number) =>
  trx.query(sql`
    select set_config('statement_timeout', ${String(statementMs)}, true), set_config('plan_cache_mode', 'force_custom_plan', true)`)

/** Reads of queues what the metrics need, or an operator: by index, and not for long. */
export function readBounded<Row = Record<string, unknown>>(
  db: Database,
  statement: Sql,
  statementMs = METRICS_MS,
): Promise<Row[]> {
  return db.transaction(async (trx) => {
    await boundStatements(trx, statementMs)
    return trx.query<Row>(statement)
  })
}

/** Rows are counted up to here: beyond it the exact number changes nothing, and counting it would cost what the queue is long. */
export const MAX_COUNTED = 10_000
