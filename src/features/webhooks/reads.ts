import { type Sql, sql } from '../../kernel/db/sql.ts'

export const countWebhooks = (team: string): Sql => sql`(select count(*)::float8 from webhooks where team_id = ${team})`

/** The attempts of a sandbox's webhooks, `a`; a condition may follow. Those of other teams are in the rows of their deliveries, too. */
export const attemptsOf = (team: string): Sql => sql`webhook_attempts a where a.team_id = ${team}`

/**
 * A team with events of a range that are still to be delivered; null: none. Not to webhooks that are disabled, nor of teams that are stopped: they get what happened meanwhile as far as
 * events are kept.
 */
export const teamDelivering = ({ from, to }: { from: string; to: string }, stoppedTeams: Sql): Sql => sql`
  coalesce((
    select d.team_id from webhook_deliveries d join webhooks w on w.team_id = d.team_id and w.id = d.webhook_id
    where d.due_at is not null and d.event_id >= ${from}::uuid and d.event_id < ${to}::uuid and w.status = 'enabled'
      and d.team_id not in (select id from ${stoppedTeams} stopped) limit 1),
    (select b.team_id from webhook_batches b cross join unnest(b.event_ids) held (event_id)
      where held.event_id >= ${from}::uuid and held.event_id < ${to}::uuid limit 1))`

/**
 * How an event of a team was posted to its webhooks, `p`: one row for each attempt. A first attempt that went well is in the row of its
 * delivery. `event` is its id.
 */
export const postsOf = (team: string, event: Sql): Sql => sql`(
  select w.id as webhook_id, w.endpoint, made.sent_at, made.http_status_code, made.error, made.duration_ms
  from webhooks w cross join lateral (
    select a.sent_at, a.http_status_code, a.error, a.duration_ms from webhook_attempts a
    where a.team_id = ${team} and a.webhook_id = w.id and a.event_id = ${event}
    union all
    select d.sent_at, d.http_status_code, null, d.duration_ms from webhook_deliveries d
    where d.team_id = ${team} and d.webhook_id = w.id and d.event_id = ${event} and d.attempt_id is not null) made
  where w.team_id = ${team}) p`
