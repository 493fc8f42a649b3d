import type { Queryable } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { type Expired, isAmong, nextTeam, type OldRow, oldRows } from '../jobs/retention.ts'

const IS_DEALT_WITH = sql`
  and not exists (select from outbox_notes n where n.team_id = r.team_id and n.event_id = r.id)`

/** What is listed in batches is looked for no further than by the smallest id of each. */
const OLDEST_IN_BATCHES = sql`(
  select b.event_id from outbox_batches b where b.team_id = owner.team_id order by b.event_id limit 1)`

/** Deletes some of what is too old and dealt with by all who follow, and returns from which team on there may be more. */
export async function deleteEventsBefore(db: Queryable, expired: Expired): Promise<string | false> {
  const old = await db.query<OldRow>(
    oldRows(sql`outbox`, expired, { bound: OLDEST_IN_BATCHES, condition: IS_DEALT_WITH }),
  )
  if (old.length > 0) await db.query(sql.write`delete from outbox r where ${isAmong(old)}`)
  return nextTeam(old, expired.limit)
}
