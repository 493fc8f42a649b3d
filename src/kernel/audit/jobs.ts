import type { Queryable } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { byTime, type Expired, isAmong, nextTeam, type OldRow, oldRows, retention } from '../jobs/retention.ts'

export const sweepAuditEvents = retention({
  name: 'audit.sweep',
  kind: 'audit',
  deleteBefore: deleteAuditEventsBefore,
})

/** Deletes some of what is too old, and returns from which team on there may be more. */
async function deleteAuditEventsBefore(db: Queryable, expired: Expired): Promise<string | false> {
  const old = await db.query<OldRow>(oldRows(sql`audit_events`, expired, { byAge: byTime(sql`created_at`, expired) }))
  if (old.length > 0) await db.query(sql.write`delete from audit_events r where ${isAmong(old)}`)
  return nextTeam(old, expired.limit)
}
