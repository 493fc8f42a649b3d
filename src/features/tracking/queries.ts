import type { Queryable } from '../../kernel/db/database.ts'
import { rowsOf } from '../../kernel/db/rows.ts'
import { sql } from '../../kernel/db/sql.ts'
import { eventRows, insertEvents, type NewEvent } from '../../kernel/outbox/record.ts'
import type { Email } from '../emails/delivery/email.ts'
import { EMAIL_COLUMNS } from '../emails/delivery/email-fields.ts'
import { type LatestEvent, latestRows, updateLastEvents } from '../emails/delivery/last-events.ts'

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
