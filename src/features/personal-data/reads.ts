import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'

/** One that nobody has gone on with for so long was given up; whoever takes it up again begins with the archive anew. */
const ABANDONED_AFTER_MS = 3_600_000

/** Whether a person is being erased at this moment. */
export async function isErasing(db: Queryable): Promise<boolean> {
  const since = new Date(db.clock.now().getTime() - ABANDONED_AFTER_MS)
  const open = await db.query(sql`
    select from personal_data_requests where action = 'erase' and completed_at is null and updated_at > ${since} limit 1`)
  return open.length > 0
}
