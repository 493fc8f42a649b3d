import type { Queryable } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { PendingEvents } from './pending-events.ts'

/** Rows that are looked at for one batch: those of events that came one by one are as many. */
const MAX_ROWS = 1_000

/** The oldest batches of a team, by their smallest events. */
export interface OldestBatches {
  readonly batches: readonly string[]
  /** How many events are in them. */
  readonly events: number
  readonly hasMore: boolean
}

/**
 * Somebody who takes many events of a team at a time, each once and in any order. What one statement writes of a team is one row of its list
 * (`outbox_batches`), up to a hundred events.
 */
export class BatchSubscription extends PendingEvents {
  /** So many events, or a few more. */
  async oldest(db: Queryable, team: string, limit: number): Promise<OldestBatches> {
    const rows = await db.query<{ id: string; events: number }>(sql`
      select event_id as id, coalesce(cardinality(event_ids), 1) as events from ${this.pending}
      where team_id = ${team} order by event_id limit ${MAX_ROWS}`)
    const batches: string[] = []
    let events = 0
    for (const row of rows) {
      if (events >= limit) break
      batches.push(row.id)
      events += row.events
    }
    return { batches, events, hasMore: batches.length < rows.length || rows.length === MAX_ROWS }
  }

  /** The part of a statement that takes these off the list, and returns their events as `ids`. */
  take(team: string, batches: readonly string[]): Sql {
    return sql.write`
      delete from ${this.pending} where team_id = ${team} and event_id = any (${batches}::uuid[])
      returning coalesce(event_ids, array[event_id]) as ids`
  }
}
