import type { DueMoments, Span } from '../../../kernel/db/due-moments.ts'
import { type Sql, sql } from '../../../kernel/db/sql.ts'
import { WEBHOOKS_CHANNEL } from './queries.ts'

/** From webhook to webhook, since a dead one may have left any number behind. */
const ofWebhook = (team: Sql): Sql => sql`
  d.team_id = ${team} and d.webhook_id = w.id and d.due_at is not null and is_sandbox(d.team_id)`

const within = ({ from, to }: Span): Sql => sql`d.due_at between ${from} and ${to}`

/** Nobody hears of what is due for a webhook that is disabled: it waits until it is enabled again. */
const enabled = (team: Sql): Sql => sql`w.team_id = ${team} and w.status = 'enabled'`

/** What the clock of a sandbox has to do with its webhooks. */
export const dueWebhooks: DueMoments = {
  channel: WEBHOOKS_CHANNEL,
  first: (team, from) => sql`(
    select min(d.due_at) from webhooks w cross join lateral (
      select d.due_at from webhook_deliveries d where ${ofWebhook(team)} and d.due_at >= ${from} order by d.due_at limit 1) d
    where ${enabled(team)})`,
  last: (team, span) => sql`(
    select max(d.due_at) from webhooks w cross join lateral (
      select d.due_at from webhook_deliveries d where ${ofWebhook(team)} and ${within(span)} order by d.due_at desc limit 1) d
    where ${enabled(team)})`,
  move: (team, span, { by, when }) => [
    sql.write`
    update webhook_deliveries d set due_at = d.due_at + ${by},
      next_attempt_at = case when d.next_attempt_at = d.due_at then d.next_attempt_at + ${by} else d.next_attempt_at end
    from webhooks w
    where w.team_id = ${team} and ${ofWebhook(team)} and ${within(span)} and d.holder is null and ${when}`,
    // Nothing happens when an old secret is over: it only does not sign any more what is sent then.
    sql.write`
    update webhook_secrets s set expires_at = s.expires_at + ${by}
    where s.team_id = ${team} and s.expires_at between ${span.from} and ${span.to} and ${when}`,
  ],
}
