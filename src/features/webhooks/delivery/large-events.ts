import type { Database } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { eventsOf } from '../../../kernel/outbox/events.ts'
import { Semaphore } from '../../../platform/concurrency/semaphore.ts'
import { eventText } from '../../emails/reads.ts'
import type { Claimed } from './queries.ts'

/** Two thousand deliveries can be in flight, so only what is small comes with a claim: nearly all events have less than 1 kB. */
export const MAX_CLAIMED_BYTES = 8_192

/** What events are made from is bounded far below. Only a version without bounds can have written a larger one. */
export const MAX_EVENT_BYTES = 8 * 1024 * 1024

const MEMORY_BYTES = 64 * 1024 * 1024
/** As PostgreSQL sends it, as a string, as the body of a request, and as it goes over the wire. */
const COPIES = 6

/** Room for events that are too large to be in flight before their turn. */
export class LargeEvents {
  readonly #db: Database
  readonly #memory = new Semaphore(MEMORY_BYTES)

  constructor(db: Database) {
    this.#db = db
  }

  /** Runs the task when there is room for the event. A small one needs none. */
  run<Result>(row: Claimed, task: () => Promise<Result>): Promise<Result> {
    return row.data === null ? this.#memory.run(Math.min(row.bytes, MAX_EVENT_BYTES) * COPIES, task) : task()
  }

  /** What the event says; null: too much to tell. */
  async dataOf({ data, team, eventId, bytes }: Claimed): Promise<string | null> {
    if (data !== null || bytes > MAX_EVENT_BYTES) return data
    const [row] = await this.#db.queryPooled<{ data: string }>(sql`
      select ${eventText('o')} as data from ${eventsOf(team)} and o.id = ${eventId}`)
    return row?.data ?? null
  }
}
