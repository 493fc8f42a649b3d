import Type from 'typebox'
import type { Database } from '../../kernel/db/database.ts'
import { shownMoment } from '../../kernel/db/moments.ts'
import { raw, sql } from '../../kernel/db/sql.ts'
import { JsonText } from '../../kernel/http/endpoint.ts'
import { endpoint } from '../definitions.ts'
import { MESSAGE_PREFIX } from './delivery/message.ts'
import { RETRY_SCHEDULE_SECONDS } from './delivery/retry.ts'
import { RECENT_EVENTS, WebhookHealth } from './schema.ts'

/** Of those that wait for another attempt so many are named. */
const NAMED = 25

export const webhookHealthEndpoint = endpoint({
  id: 'webhooks.health',
  route: 'GET /webhooks/health',
  summary: 'Retrieve the health of all webhooks',
  reply: Type.Object({ object: Type.Literal('list'), data: Type.Array(WebhookHealth) }),
  async run({ services: { db }, actor: { team } }) {
    return new JsonText(`{"object":"list","data":${await readHealth(db, team)}}`)
  },
})

async function readHealth(db: Database, team: string): Promise<string> {
  const [row] = await db.queryPooled<{ health: string }>(sql`
    with recent as materialized (
      select d.* from webhooks w cross join lateral (
        select d.webhook_id, d.event_id, d.state, d.failures, d.next_attempt_at, d.attempt_id, d.http_status_code, d.sent_at,
          d.state = 'pending' and d.failures > 0 as is_waiting
        from webhook_deliveries d where d.team_id = ${team} and d.webhook_id = w.id
        order by d.event_id desc limit ${raw(String(RECENT_EVENTS))}) d
      where w.team_id = ${team}),
    tried as (
      select webhook_id, count(*)::int as events, (count(*) filter (where state <> 'success'))::int as failed
      from recent where state <> 'pending' or is_waiting group by webhook_id),
    waiting as (
      select webhook_id, json_agg(json_build_object('event_id', ${MESSAGE_PREFIX}::text || event_id, 'attempts', failures,
        'next_attempt_at', wire_time(${shownMoment(db.clock, team, sql`next_attempt_at`)})) order by event_id desc) as retries
      from (select *, row_number() over (partition by webhook_id order by event_id desc) as place
        from recent where is_waiting) recent
      where place <= ${NAMED} group by webhook_id),
    last as (
      select distinct on (a.webhook_id) a.webhook_id, coalesce(a.http_status_code, 0) as code, a.sent_at
      from (
        select a.webhook_id, a.id, a.http_status_code, a.sent_at from recent join webhook_attempts a
          on a.team_id = ${team} and a.webhook_id = recent.webhook_id and a.event_id = recent.event_id
        union all
        select webhook_id, attempt_id, http_status_code, sent_at from recent where attempt_id is not null) a
      order by a.webhook_id, a.id desc)
    select coalesce(json_agg(json_build_object(
      'id', w.id, 'failing_since', wire_time(w.failing_since), 'events', coalesce(tried.events, 0),
      'failed', coalesce(tried.failed, 0), 'last_status_code', last.code, 'last_attempt_at', wire_time(last.sent_at),
      'max_attempts', ${RETRY_SCHEDULE_SECONDS.length + 1}::int, 'retries', coalesce(waiting.retries, '[]')
      ) order by w.id desc), '[]')::text as health
    from webhooks w
    left join tried on tried.webhook_id = w.id
    left join waiting on waiting.webhook_id = w.id
    left join last on last.webhook_id = w.id
    where w.team_id = ${team}`)
  return row!.health
}
