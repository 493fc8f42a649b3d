import { MAX_COUNTED, readBounded } from '../../../kernel/db/bounded-read.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { raw, type Sql, sql } from '../../../kernel/db/sql.ts'
import { joinEvent } from '../../../kernel/outbox/events.ts'
import { wantedEvents } from './fan-out.ts'

/** How webhooks stand. Numbers are counted up to MAX_COUNTED; webhooks that are disabled have nothing due. */
export interface WebhookQueue {
  /** Events that are not turned into deliveries yet. */
  readonly noted: number
  readonly due: number
  readonly later: number
  readonly held: number
  /** Of what is noted or due; 0 when there is neither. */
  readonly oldestDueSeconds: number
}

const LIMIT = raw(String(MAX_COUNTED))
/** Enough to see which way it goes. One dead endpoint must not be all that is counted. */
const LIMIT_EACH = raw('1000')
/** An index probe each. Those that are due come first. */
const MAX_WEBHOOKS = raw('1000')

/** For the metrics: from one webhook that has something waiting to the next, those that are due first. */
export async function readWebhookQueue(db: Database): Promise<WebhookQueue> {
  const now = db.clock.now()
  const waiting = sql`d.webhook_id = open.webhook_id and d.due_at is not null and d.holder is null`
  const counted = (which: Sql) => sql`(
    select count(*) from (
      select from open cross join lateral (
        select from webhook_deliveries d where ${waiting} and ${which} order by d.due_at limit ${LIMIT_EACH}) d
      limit ${LIMIT}) d)::int`
  const [row] = await readBounded<WebhookQueue>(
    db,
    sql`
    with open as materialized (
      select n.webhook_id from (select team_id, webhook_id from webhook_next_due order by due_at limit ${MAX_WEBHOOKS}) n
      join webhooks w on w.team_id = n.team_id and w.id = n.webhook_id and w.status = 'enabled'),
    first_noted as (
      select o.created_at from ${wantedEvents.pending} f ${joinEvent('f')}
      order by f.event_id limit 1),
    first_due as (
      select min(d.due_at) as due_at from open cross join lateral (
        select d.due_at from webhook_deliveries d where ${waiting} and d.due_at <= ${now} order by d.due_at limit 1) d)
    select
      (select count(*) from (select from ${wantedEvents.pending} limit ${LIMIT}) f)::int as noted,
      ${counted(sql`d.due_at <= ${now}`)} as due,
      ${counted(sql`d.due_at > ${now}`)} as later,
      ((select count(*) from (select from webhook_deliveries where holder is not null limit ${LIMIT}) d)
        + (select coalesce(sum(cardinality(event_ids)), 0) from webhook_batches))::int as held,
      greatest(0, extract(epoch from ${now}::timestamptz - least(
        (select due_at from first_due), (select created_at from first_noted))))::float8 as "oldestDueSeconds"`,
  )
  return row!
}
