import { MAX_COUNTED, readBounded } from '../platform/db/bounded-read.ts'
import type { Database } from '../platform/db/database.ts'
import { raw, sql } from '../platform/db/sql.ts'

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

/** For the metrics: from one webhook that has something waiting to the next, an index probe each, as claiming does it. */
export async function readWebhookQueue(db: Database): Promise<WebhookQueue> {
  const waiting = sql`d.webhook_id = open.webhook_id and d.due_at is not null and d.holder is null`
  const [row] = await readBounded<WebhookQueue>(
    db,
    sql`
    with recursive open (webhook_id, team_id) as (
      select '00000000-0000-0000-0000-000000000000'::uuid, null::uuid
      union all
      select next.webhook_id, next.team_id from open cross join lateral (
        select d.webhook_id, d.team_id from webhook_deliveries d
        where d.due_at is not null and d.webhook_id > open.webhook_id order by d.webhook_id limit 1) next),
    each_open as materialized (
      select
        (select count(*) from (
          select from webhook_deliveries d where ${waiting} and d.due_at <= now() order by d.due_at limit ${LIMIT_EACH}) d) as due,
        (select count(*) from (
          select from webhook_deliveries d where ${waiting} and d.due_at > now() order by d.due_at limit ${LIMIT_EACH}) d) as later,
        (select d.due_at from webhook_deliveries d
          where ${waiting} and d.due_at <= now() order by d.due_at limit 1) as oldest
      from open join webhooks w on w.team_id = open.team_id and w.id = open.webhook_id and w.status = 'enabled'
      limit ${LIMIT}),
    first_noted as (
      select o.created_at from webhook_fan_outs f join outbox o on o.team_id = f.team_id and o.id = f.event_id
      order by f.event_id limit 1)
    select
      (select count(*) from (select from webhook_fan_outs limit ${LIMIT}) f)::int as noted,
      least(coalesce(sum(due), 0), ${LIMIT})::int as due,
      least(coalesce(sum(later), 0), ${LIMIT})::int as later,
      (select count(*) from (select from webhook_deliveries where holder is not null limit ${LIMIT}) d)::int as held,
      greatest(0, extract(epoch from now() - least(min(oldest), (select created_at from first_noted))))::float8
        as "oldestDueSeconds"
    from each_open`,
  )
  return row!
}
