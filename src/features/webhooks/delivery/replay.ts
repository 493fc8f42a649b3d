import type { Queryable } from '../../../kernel/db/database.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { eventsOf } from '../../../kernel/outbox/events.ts'
import { moveToLedger } from './batches.ts'

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
