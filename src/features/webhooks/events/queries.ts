import type { Static } from 'typebox'
import type { Queryable } from '../../../kernel/db/database.ts'
import { shownMoment } from '../../../kernel/db/moments.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { columnsOf } from '../../../kernel/http/columns.ts'
import type { Rows } from '../../../kernel/http/rows.ts'
import { joinEvent } from '../../../kernel/outbox/events.ts'
import { type Event, MESSAGE_PREFIX } from '../delivery/message.ts'
import { ATTEMPT_PREFIX, WebhookAttempt, WebhookEventItem } from '../schema.ts'

const prefixed = (prefix: string, column: string) => raw(`'${prefix}' || ${column}`)

const EVENT_COLUMNS = columnsOf(WebhookEventItem, 'o', {
  id: prefixed(MESSAGE_PREFIX, 'd.event_id'),
  status: sql`case when d.holder is not null then 'attempting' when d.is_replay_wanted then 'pending' else d.state end`,
})

/** Of a webhook's deliveries also those that are posted straight from their events, and have no row of their own yet. */
const DELIVERIES = sql`(
  select team_id, webhook_id, event_id, state, next_attempt_at, holder, is_replay_wanted from webhook_deliveries
  union all
  select b.team_id, b.webhook_id, held.event_id, 'pending', b.claimed_at, b.holder, false
  from webhook_batches b cross join unnest(b.event_ids) held (event_id)
  where not exists (
    select from webhook_deliveries d where d.team_id = b.team_id and d.webhook_id = b.webhook_id and d.event_id = held.event_id)) d`

export const eventRows = (team: string, webhookId: string): Rows => ({
  columns: EVENT_COLUMNS,
  from: sql`${DELIVERIES} ${joinEvent('d')}`,
  where: sql`d.team_id = ${team} and d.webhook_id = ${webhookId}`,
  id: sql`d.event_id`,
})

const ATTEMPT_COLUMNS = columnsOf(WebhookAttempt, 'a', {
  id: prefixed(ATTEMPT_PREFIX, 'a.id'),
  http_status_code: sql`coalesce(a.http_status_code, 0)`,
  response: sql`coalesce(a.response, a.error)`,
})

/** A first attempt that went well is in the row of its delivery. */
const ATTEMPTS = sql`(
  select team_id, webhook_id, event_id, id, http_status_code, response, error, duration_ms, sent_at from webhook_attempts
  union all
  select team_id, webhook_id, event_id, attempt_id, http_status_code, response, null, duration_ms, sent_at
  from webhook_deliveries where attempt_id is not null) a`

export const attemptRows = (team: string, webhookId: string, eventId: string): Rows => ({
  columns: ATTEMPT_COLUMNS,
  from: ATTEMPTS,
  where: sql`a.team_id = ${team} and a.webhook_id = ${webhookId} and a.event_id = ${eventId}`,
  id: sql`a.id`,
})

/** The event with what is posted about it. */
export async function findEvent(db: Queryable, team: string, webhookId: string, eventId: string) {
  const { columns, from, where, id } = eventRows(team, webhookId)
  const [row] = await db.query<Static<typeof WebhookEventItem> & { next_attempt_at: string | null } & Event>(sql`
    select ${columns}, wire_time(${shownMoment(db.clock, team, sql`d.next_attempt_at`)}) as next_attempt_at, iso_time(o.created_at) as "createdAt",
      o.data::text as data
    from ${from} where ${where} and ${id} = ${eventId}`)
  return row
}
