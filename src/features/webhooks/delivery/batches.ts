import type { Queryable } from '../../../kernel/db/database.ts'
import { anyRowsOf } from '../../../kernel/db/rows.ts'
import { type Sql, sql } from '../../../kernel/db/sql.ts'
import type { SettledDelivery } from './queries.ts'

// Deliveries that are posted straight from their events. A fan-out writes one row for those of each webhook (`webhook_batches`), held by its node;
// each delivery gets a row of its own in the ledger when its first attempt is known. To fence, take-over and lost claims a batch is a claim.

/** The deliveries of one fan-out to one webhook, while they are under way. */
export class ClaimBatch {
  readonly id: string
  readonly webhookId: string
  readonly holder: number
  /** Not settled yet. */
  unsettled = 0
  /** Not settled and not given up: with less than `unsettled`, some are lost claims. */
  inFlight = 0

  constructor(id: string, webhookId: string, holder: number) {
    this.id = id
    this.webhookId = webhookId
    this.holder = holder
  }
}

/** How many deliveries of each batch are among these. */
export type SettledBatches = ReadonlyMap<ClaimBatch, number>

export function settledBatches(deliveries: readonly SettledDelivery[]): SettledBatches {
  const settled = new Map<ClaimBatch, number>()
  for (const { row } of deliveries) if (row.batch) settled.set(row.batch, (settled.get(row.batch) ?? 0) + 1)
  return settled
}

const BATCH_COLUMNS = {
  number: 'int',
  id: 'uuid',
  webhookId: 'uuid',
  holder: 'int',
  isWell: 'boolean',
  isDone: 'boolean',
} as const

const FINISHED_COLUMNS = {
  batch: 'int',
  eventId: 'uuid',
  attemptId: 'uuid',
  status: 'smallint',
  response: 'text',
  durationMs: 'int',
  sentAt: 'timestamptz',
} as const

/**
 * Writes down deliveries whose first attempt went well, each with its attempt, and lets go of batches that are done. Returns whether all of them
 * were written: not so if a batch is not this node's any more, if an event was deleted, or if somebody wants a replay of what is under way.
 */
export async function finishStraight(
  db: Queryable,
  deliveries: readonly SettledDelivery[],
  settled: SettledBatches,
): Promise<boolean> {
  const numbers = new Map([...settled.keys()].map((batch, number) => [batch, number]))
  const well = new Set(deliveries.map(({ row }) => row.batch))
  const batches = [...settled].map(([batch, count], number) => ({
    ...{ number, id: batch.id, webhookId: batch.webhookId, holder: batch.holder },
    ...{ isWell: well.has(batch), isDone: batch.unsettled === count },
  }))
  const given = deliveries.map(({ row, attemptId, status, response, durationMs, sentAt }) => ({
    ...{ batch: numbers.get(row.batch!)!, eventId: row.eventId, attemptId, status, response, durationMs, sentAt },
  }))
  // The last CTEs read `held`: a batch that is deleted before it is locked would be nobody's. An event that was deleted meanwhile is not in its batch
  // any more. A conflict with the same attempt is a delivery that was written before, by a statement whose answer got lost.
  const [row] = await db.query<{ finished: number }>(sql.write`
    with held as materialized (
      select settled.number, b.team_id, b.webhook_id, b.id, b.event_ids, settled."isWell" as is_well, settled."isDone" as is_done
      from ${anyRowsOf(batches, BATCH_COLUMNS, 'settled')}
      join webhook_batches b on b.webhook_id = settled."webhookId" and b.id = settled.id and b.holder = settled.holder
      for update of b),
    finished as (
      insert into webhook_deliveries as d
        (team_id, webhook_id, event_id, state, claims, attempt_id, http_status_code, response, duration_ms, sent_at)
      select held.team_id, held.webhook_id, given."eventId", 'success', 1, given."attemptId", given.status, given.response, given."durationMs", given."sentAt"
      from ${anyRowsOf(given, FINISHED_COLUMNS)} join held on held.number = given.batch and given."eventId" = any (held.event_ids)
      on conflict (team_id, webhook_id, event_id) do update set attempt_id = excluded.attempt_id where d.attempt_id = excluded.attempt_id
      returning 1),
    well as (
      update webhooks w set failing_since = null from held
      where held.is_well and w.team_id = held.team_id and w.id = held.webhook_id and w.status = 'enabled' and w.failing_since is not null),
    done as (
      delete from webhook_batches b using held where b.webhook_id = held.webhook_id and b.id = held.id and held.is_done)
    select count(*)::int as finished from finished`)
  return row!.finished === deliveries.length
}

/** Gives deliveries of batches a row in the ledger, held by the node that posts them, under the first claim. From then on they are like claimed ones. */
export async function moveToLedger(
  db: Queryable,
  deliveries: readonly { readonly team: string; readonly webhookId: string; readonly eventId: string }[],
) {
  if (deliveries.length === 0) return
  const webhookIds = [...new Set(deliveries.map(({ webhookId }) => webhookId))]
  const eventIds = deliveries.map(({ eventId }) => eventId)
  await db.query(sql.write`
    with held as materialized (
      select b.team_id, b.webhook_id, b.holder, b.claimed_at, b.event_ids
      from webhook_batches b where b.webhook_id = any (${webhookIds}::uuid[]) and b.event_ids && ${eventIds}::uuid[]
      for update)
    insert into webhook_deliveries (team_id, webhook_id, event_id, next_attempt_at, due_at, holder, claims)
    select held.team_id, held.webhook_id, given."eventId", held.claimed_at, held.claimed_at, held.holder, 1
    from ${anyRowsOf(deliveries, { team: 'uuid', webhookId: 'uuid', eventId: 'uuid' })}
    join held on held.team_id = given.team and held.webhook_id = given."webhookId" and given."eventId" = any (held.event_ids)
    on conflict do nothing`)
}

/** Deliveries of a batch as rows of the ledger that are nobody's, as old as they are; those that are settled have a row already. */
export const releasedDeliveries = (batches: Sql): Sql => sql.write`
  insert into webhook_deliveries (team_id, webhook_id, event_id, next_attempt_at, due_at, claims)
  select team_id, webhook_id, event_id, claimed_at, claimed_at, 1 from (${batches}) released
  on conflict do nothing`
