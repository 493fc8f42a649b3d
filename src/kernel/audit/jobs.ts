import type { Queryable } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { type Expired, ofTeam, retention } from '../jobs/retention.ts'

export const sweepAuditEvents = retention({
  name: 'audit.sweep',
  keepSeconds: (config) => config.AUDIT_RETENTION,
  deleteBefore: deleteAuditEventsBefore,
})

/** Deletes some of what is too old, and tells whether there may be more. */
async function deleteAuditEventsBefore(db: Queryable, { moment, limit, team }: Expired): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from audit_events where (team_id, id) in (
      select team_id, id from audit_events where created_at < ${moment} ${ofTeam(team)} order by created_at limit ${limit})
    returning 1 as deleted`)
  return rows.length === limit
}
