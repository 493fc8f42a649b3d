import type { Email } from '../../delivery/email.ts'
import { EMAIL_COLUMNS } from '../../delivery/email-fields.ts'
import { type LatestEvent, latestRows, updateLastEvents } from '../../delivery/last-events.ts'
import { eventRows, insertEvents, type NewEvent } from '../../outbox/record.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { rowsOf } from '../../platform/db/rows.ts'
import { sql } from '../../platform/db/sql.ts'

/** An email that somebody has opened, with its recipients. */
export interface VisitedEmail extends Email {
  readonly recipients: readonly { readonly address: string; readonly settledAt: string | null }[]
}

export const findVisited = (
  db: Queryable,
  wanted: readonly { readonly team: string; readonly email: string }[],
): Promise<VisitedEmail[]> =>
  db.query<VisitedEmail>(sql`
    select ${EMAIL_COLUMNS}, (
      select json_agg(json_build_object('address', d.recipient, 'settledAt', d.settled_at) order by d.position)
      from deliveries d where d.team_id = e.team_id and d.email_id = e.id) as recipients
    from (select distinct team as team_id, email as id from ${rowsOf(wanted, { team: 'uuid', email: 'uuid' })}) wanted
    join emails e using (team_id, id)`)

/** Events, and what they may make of their emails, in one statement. */
export const insertVisits = (db: Queryable, events: readonly NewEvent[], latest: readonly LatestEvent[]) =>
  db.query(sql`
    with new_events as (${insertEvents(sql`select new.* from ${eventRows(db.clock, events)}`)}),
    last_events as (${updateLastEvents(latestRows(latest))})
    select`)
