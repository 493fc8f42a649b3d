import type { Email } from '../../../delivery/email.ts'
import { EMAIL_COLUMNS } from '../../../delivery/queries.ts'
import { type Fact, factRows } from '../../../outbox/record.ts'
import type { Database, Queryable } from '../../../platform/db/database.ts'
import { sql } from '../../../platform/db/sql.ts'

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
    from (select distinct * from unnest(${wanted.map(({ team }) => team)}::uuid[],
      ${wanted.map(({ email }) => email)}::uuid[]) as wanted (team_id, id)) wanted
    join emails e using (team_id, id)`)

/** An email that a person has opened, or clicked in. */
export interface Move {
  readonly team: string
  readonly id: string
  readonly event: 'opened' | 'clicked'
}

/** Facts, and the status of their emails, in one statement. A status only moves forward, and one that is the end stays. */
export const recordVisits = (db: Database, facts: readonly Fact[], moves: readonly Move[]) =>
  db.querySlowly(sql`
    with told as (
      insert into outbox (team_id, id, type, data, about) select new.* from ${factRows(facts)} as new),
    moved as (
      update emails e set last_event = move.event
      from unnest(${moves.map(({ team }) => team)}::uuid[], ${moves.map(({ id }) => id)}::uuid[],
        ${moves.map(({ event }) => event)}::text[]) as move (team, id, event)
      where e.team_id = move.team and e.id = move.id
        and (e.last_event in ('sent', 'delivery_delayed', 'delivered') or (e.last_event = 'opened' and move.event = 'clicked')))
    select`)
