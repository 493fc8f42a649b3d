import type { Queryable } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { type Expired, ofTeam } from '../jobs/retention.ts'

/** Deletes some of what is too old and dealt with by all who follow, and returns whether there may be more. */
export async function deleteEventsBefore(db: Queryable, { moment, limit, team }: Expired): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from outbox where (team_id, id) in (
      select team_id, id from outbox o where created_at < ${moment} ${ofTeam(team)}
        and not exists (select from outbox_notes n where n.team_id = o.team_id and n.event_id = o.id)
        and not exists (select from outbox_batches b where b.team_id = o.team_id and b.event_id <= o.id)
      order by created_at limit ${limit})
    returning 1 as deleted`)
  return rows.length === limit
}
