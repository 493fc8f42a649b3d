import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { eventRows, insertEvents, type NewEvent } from '../../kernel/outbox/record.ts'
import { type LatestEvent, latestRows, updateLastEvents } from '../emails/delivery/ledger/last-events.ts'

/** Events, and what they may make of their emails, in one statement. */
export const insertVisits = (db: Queryable, events: readonly NewEvent[], latest: readonly LatestEvent[]) =>
  db.query(sql`
    with new_events as (${insertEvents(sql`select new.* from ${eventRows(db.clock, events)}`)}),
    last_events as (${updateLastEvents(latestRows(latest))})
    select`)
