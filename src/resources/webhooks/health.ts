import Type from 'typebox'
import { endpoint, JsonText } from '../../http/endpoint.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { raw, sql } from '../../platform/db/sql.ts'
import { MESSAGE_PREFIX } from '../../webhooks/message.ts'
import { LADDER_SECONDS } from '../../webhooks/retry.ts'
import { RECENT_EVENTS, WebhookHealth } from './schema.ts'

/** Of those that wait for another attempt so many are named. */
const NAMED = 25

export const webhookHealthEndpoint = endpoint({
  id: 'webhooks.health',
  route: 'GET /webhooks/health',
  summary: 'How the endpoints of all webhooks are doing',
  reply: Type.Object({ object: Type.Literal('list'), data: Type.Array(WebhookHealth) }),
  async run({ context: { db, team } }) {
    return new JsonText(`{"object":"list","data":${await readHealth(db, team)}}`)
  },
})

async function readHealth(db: Queryable, team: string): Promise<string> {
  const recent = sql`
    select d.* from webhook_deliveries d where d.team_id = ${team} and d.webhook_id = w.id
    order by d.event_id desc limit ${raw(String(RECENT_EVENTS))}`
  const [row] = await db.query<{ health: string }>(sql`
    select coalesce(json_agg(json_build_object(
      'id', w.id, 'failing_since', wire_time(w.failing_since), 'events', tried.events, 'failed', tried.failed,
      'last_status_code', case when last.id is not null then coalesce(last.http_status_code, 0) end,
      'last_attempt_at', wire_time(last.sent_at), 'max_attempts', ${LADDER_SECONDS.length + 1}::int,
      'retries', waiting.retries) order by w.id desc), '[]')::text as health
    from webhooks w
    cross join lateral (
      select count(*)::int as events, (count(*) filter (where d.state <> 'success'))::int as failed
      from (${recent}) d where d.state <> 'pending' or d.failures > 0) tried
    cross join lateral (
      select coalesce(json_agg(json_build_object('event_id', ${MESSAGE_PREFIX}::text || d.event_id,
        'attempts', d.failures, 'next_attempt_at', wire_time(d.next_attempt_at)) order by d.event_id desc), '[]') as retries
      from (select * from (${recent}) d where d.state = 'pending' and d.failures > 0
        order by d.event_id desc limit ${raw(String(NAMED))}) d) waiting
    left join lateral (
      select a.id, a.http_status_code, a.sent_at
      from (${recent}) d
      join webhook_attempts a on a.team_id = ${team} and a.webhook_id = w.id and a.event_id = d.event_id
      order by a.id desc limit 1) last on true
    where w.team_id = ${team}`)
  return row!.health
}
