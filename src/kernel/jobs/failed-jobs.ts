import { isId } from '../../platform/ids.ts'
import type { Queryable } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/** A job that nobody tries any more. */
export interface FailedJob {
  readonly id: string
  readonly name: string
  /** Null: it is of no team. */
  readonly team_id: string | null
  readonly attempts: number
  readonly crashes: number
  readonly error: string | null
  readonly failed_at: string
}

const MAX_LISTED = 1_000

const COLUMNS = sql`
  id, name, payload ->> 'team' as team_id, attempts, crashes, last_error as error, iso_time(failed_at) as failed_at`

/** The latest first. `which` as in `retryFailedJobs`. */
export const listFailedJobs = (db: Queryable, which: string): Promise<FailedJob[]> =>
  db.query<FailedJob>(sql`
    select ${COLUMNS} from jobs where failed_at is not null and ${chosen(which)}
    order by jobs.failed_at desc, id limit ${MAX_LISTED}`)

/**
 * Makes failed jobs due as if they had just been enqueued, and gives them back. `which`: the id of one, the name of a kind, or `all`. What
 * they were found guilty of is forgotten: one that ends its process again is set aside again.
 */
export const retryFailedJobs = (db: Queryable, which: string): Promise<FailedJob[]> =>
  db.query<FailedJob>(sql.write`
    with retried as (
      select ${COLUMNS} from jobs where failed_at is not null and ${chosen(which)} order by id for update),
    due as (
      update jobs set failed_at = null, attempts = 0, crashes = 0, last_error = null, run_at = ${db.clock.now()}
      from retried where jobs.id = retried.id)
    select * from retried`)

function chosen(which: string) {
  if (which === 'all') return sql`true`
  return isId(which) ? sql`id = ${which}::uuid` : sql`name = ${which}`
}
