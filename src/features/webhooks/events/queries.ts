import type { Static } from 'typebox'
import type { Queryable } from '../../../kernel/db/database.ts'
import { shownMoment } from '../../../kernel/db/moments.ts'
import { raw, type Sql, sql } from '../../../kernel/db/sql.ts'
import { columnsOf } from '../../../kernel/http/columns.ts'
import { EVERYWHERE, type IdRange, within } from '../../../kernel/http/id-ranges.ts'
import type { IdSource, Rows } from '../../../kernel/http/rows.ts'
import { eventsOf } from '../../../kernel/outbox/events.ts'
import { firstIdFrom } from '../../../platform/ids.ts'
import { eventText } from '../../emails/reads.ts'
import { type Event, MESSAGE_PREFIX, TEST_PREFIX } from '../delivery/message.ts'
import { ATTEMPT_PREFIX, WebhookAttempt, type WebhookEventFilter, WebhookEventItem } from '../schema.ts'

const prefixed = (prefix: string, column: string) => raw(`'${prefix}' || ${column}`)

const STATUS = sql`case when d.holder is not null then 'attempting' when d.is_replay_wanted then 'pending' else d.state end`

/** Receivers know the types of test events without their prefix. */
const TYPE_LENGTH = TEST_PREFIX.length + 1
const IS_TEST = raw(`d.type like '${TEST_PREFIX}%'`)

const eventColumns = (db: Queryable, team: string) =>
  columnsOf(WebhookEventItem, 'd', {
    id: prefixed(MESSAGE_PREFIX, 'd.event_id'),
    type: raw(`case when d.type like '${TEST_PREFIX}%' then substr(d.type, ${TYPE_LENGTH}) else d.type end`),
    status: STATUS,
    failed_attempts: raw('d.failures'),
    next_attempt_at: sql`wire_time(${shownMoment(db.clock, team, sql`d.next_attempt_at`)})`,
    last_status_code: raw('coalesce(last.code, d.http_status_code)'),
    last_duration_ms: raw('coalesce(last.duration_ms, d.duration_ms)'),
    is_test: IS_TEST,
  })

/** Of a webhook's deliveries also those that are posted straight from their events, and have no row of their own yet. */
const deliveriesIn = (piece: IdRange) => sql`(
  select team_id, webhook_id, event_id, state, failures, next_attempt_at, holder, is_replay_wanted, http_status_code, duration_ms
  from webhook_deliveries
  union all
  select b.team_id, b.webhook_id, held.event_id, 'pending', 0::smallint, b.claimed_at, b.holder, false, null, null
  from webhook_batches b cross join unnest(b.event_ids) held (event_id)
  where not exists (
    select from webhook_deliveries d
    where d.team_id = b.team_id and d.webhook_id = b.webhook_id and d.event_id = held.event_id ${within(sql`d.event_id`, piece)})) d`

/** Events are looked up one by one, in the one partition that each can be in: joined in order they were read from the newest on, 64,000 pages for a page of a month ago. */
const deliveredEventsIn = (piece: IdRange) => sql`(
  select d.*, o.type, o.created_at, o.about, o.data from ${deliveriesIn(piece)}
  cross join lateral (
    select o.type, o.created_at, o.about, o.data from ${eventsOf(raw('d.team_id'))} and o.id = d.event_id ${within(sql`o.id`, piece)} offset 0) o) d`

/** Of those of a page. A first attempt that went well is in the row of its delivery, and all that came later are not. */
const lastAttemptIn = (piece: IdRange) => sql`left join lateral (
  select coalesce(a.http_status_code, 0) as code, a.duration_ms from webhook_attempts a
  where a.team_id = d.team_id and a.webhook_id = d.webhook_id and a.event_id = d.event_id ${within(sql`a.event_id`, piece)}
  order by a.id desc limit 1) last on true`

export function eventRows(
  db: Queryable,
  team: string,
  webhookId: string,
  filter: Static<typeof WebhookEventFilter> = {},
): Rows {
  const isFiltered = filter.status !== undefined || filter.type !== undefined
  const rows = {
    ...sourceIn(EVERYWHERE),
    columns: eventColumns(db, team),
    where: sql`d.team_id = ${team} and d.webhook_id = ${webhookId} ${conditionOf(filter)}`,
    id: sql`d.event_id`,
    periods: { days: 1 },
    isFiltered,
    ...(!isFiltered && { ids: idsOf(team, webhookId) }),
  } as const
  return { ...rows, narrowed: (piece) => ({ ...rows, ...sourceIn(piece) }) }
}

/** Of an event that a batch has a row may be there already: its id comes twice then. */
const idsOf = (team: string, webhookId: string): readonly IdSource[] => [
  {
    from: sql`webhook_deliveries d where d.team_id = ${team} and d.webhook_id = ${webhookId}`,
    id: sql`d.event_id`,
  },
  {
    from: sql`
      webhook_batches b cross join unnest(b.event_ids) held (event_id)
      where b.team_id = ${team} and b.webhook_id = ${webhookId}`,
    id: sql`held.event_id`,
  },
]

const sourceIn = (piece: IdRange) => ({
  from: deliveredEventsIn(piece),
  joined: { of: sql`d`, with: lastAttemptIn(piece) },
})

/** By the state in the table as well: what was not delivered is found by an index. */
const STATES = {
  success: sql`and d.state = 'success'`,
  failed: sql`and d.state = 'failed'`,
  failing: sql`and d.state = 'pending' and d.failures > 0`,
  pending: sql``,
  attempting: sql`and d.holder is not null`,
}

const conditionOf = ({ status, type }: Static<typeof WebhookEventFilter>): Sql => sql`
  ${status ? sql`${STATES[status]} and ${STATUS} = ${status === 'failing' ? 'pending' : status}` : sql``}
  ${type ? sql`and d.type in (${type}, ${`${TEST_PREFIX}${type}`})` : sql``}`

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
  const { columns, where, id } = eventRows(db, team, webhookId)
  const { from, joined } = sourceIn({ from: eventId, to: firstIdFrom(eventId, 1) })
  const [row] = await db.query<Static<typeof WebhookEventItem> & { postedType: string } & Omit<Event, 'type'>>(sql`
    select ${columns}, iso_time(d.created_at) as "createdAt", d.type as "postedType", ${eventText('d')} as data
    from ${from} ${joined.with} where ${where} and ${id} = ${eventId}`)
  return row
}
