import { MAX_COUNTED, readBounded } from '../../../../kernel/db/bounded-read.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import { rowsOf } from '../../../../kernel/db/rows.ts'
import { raw, sql } from '../../../../kernel/db/sql.ts'

const READ_MS = 10_000
const LIMIT = raw(String(MAX_COUNTED))

/** How many recipients are set aside for each of these holds, counted up to MAX_COUNTED. */
export async function countHeld(
  db: Database,
  holds: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, number>> {
  const counts = await readBounded<{ id: string; recipients: number }>(
    db,
    sql`
    select given.id, (
      select count(*)::int from (
        select from deliveries d
        where d.hold_id = given.id and d.suspended_at is not null and d.hold_id is not null and d.state = 'waiting' limit ${LIMIT}) d) as recipients
    from ${rowsOf(holds, { id: 'uuid' })}`,
    READ_MS,
  )
  return new Map(counts.map(({ id, recipients }) => [id, recipients]))
}
