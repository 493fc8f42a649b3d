import type { Queryable } from '../../../kernel/db/database.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { eventsOf } from '../../../kernel/outbox/events.ts'
import { moveToLedger } from './batches.ts'
import { TEST_PREFIX } from './message.ts'

interface WantedReplay {
  readonly webhookId: string
  readonly eventId: string
  readonly now: Date
}

/** An attempt more, now; if one is under way, after it. */
export async function wantReplay(db: Queryable, team: string, replay: WantedReplay): Promise<boolean> {
  if (await markForReplay(db, team, replay)) return true
  // It may be under way without a row of its own.
  await moveToLedger(db, [{ team, ...replay }])
  return markForReplay(db, team, replay)
}

async function markForReplay(db: Queryable, team: string, { webhookId, eventId, now }: WantedReplay): Promise<boolean> {
  const rows = await db.query(sql.write`
    update webhook_deliveries d set is_replay_wanted = true, due_at = case when d.holder is null then ${now} else d.due_at end
    where d.team_id = ${team} and d.webhook_id = ${webhookId} and d.event_id = ${eventId}
      and exists (select from ${eventsOf(raw('d.team_id'))} and o.id = d.event_id)
    returning d.event_id`)
  return rows.length > 0
}

/** Deliveries that one slice of a replay takes: a statement of some milliseconds, and workers claim between two of them. */
const REPLAY_SLICE = 1_000

export interface UndeliveredRange {
  readonly webhookId: string
  /** The first and the last event that it is about. */
  readonly from: string
  readonly to: string
}

/**
 * Marks a slice of undelivered events for replay: failed, or waiting for a retry. Returns the cursor of the next slice; undefined at the
 * end. Deliveries that are in flight and test events are skipped.
 */
export async function replayUndelivered(
  db: Queryable,
  team: string,
  { webhookId, from, to }: UndeliveredRange,
  limit = REPLAY_SLICE,
): Promise<string | undefined> {
  const rows = await db.query<{ id: string }>(sql.write`
    with undelivered as materialized (
      select d.event_id from webhook_deliveries d
      where d.team_id = ${team} and d.webhook_id = ${webhookId} and d.event_id between ${from} and ${to}
        and d.state <> 'success' and (d.state = 'failed' or d.failures > 0) and d.holder is null and not d.is_replay_wanted
        and exists (select from ${eventsOf(raw('d.team_id'))} and o.id = d.event_id and o.type not like ${`${TEST_PREFIX}%`})
      order by d.event_id limit ${limit} for update of d)
    update webhook_deliveries d set is_replay_wanted = true, due_at = ${db.clock.now()}
    from undelivered where d.team_id = ${team} and d.webhook_id = ${webhookId} and d.event_id = undelivered.event_id
    returning d.event_id as id`)
  if (rows.length < limit) return undefined
  return rows
    .map(({ id }) => id)
    .sort()
    .at(-1)
}
