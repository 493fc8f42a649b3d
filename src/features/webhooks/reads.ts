import { type Sql, sql } from '../../kernel/db/sql.ts'

export const countWebhooks = (team: string): Sql => sql`(select count(*)::float8 from webhooks where team_id = ${team})`

/** The attempts of a sandbox's webhooks, `a`; a condition may follow. Those of other teams are in the rows of their deliveries, too. */
export const attemptsOf = (team: string): Sql => sql`webhook_attempts a where a.team_id = ${team}`

/**
 * A condition: events of a range are still to be delivered. Not to webhooks that are disabled, nor of teams that are stopped: they get what happened meanwhile as far as
 * events are kept.
 */
export const isDelivering = ({ from, to }: { from: string; to: string }, stoppedTeams: Sql): Sql => sql`
  exists (
    select from webhook_deliveries d join webhooks w on w.team_id = d.team_id and w.id = d.webhook_id
    where d.due_at is not null and d.event_id >= ${from}::uuid and d.event_id < ${to}::uuid and w.status = 'enabled'
      and d.team_id not in (select id from ${stoppedTeams} stopped))
  or exists (select from webhook_batches b cross join unnest(b.event_ids) held (event_id) where held.event_id < ${to}::uuid)`
