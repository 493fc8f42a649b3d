import type { Database } from '../../../kernel/db/database.ts'
import { type Sql, sql } from '../../../kernel/db/sql.ts'
import { type AnsweredRequest, claimKeys } from '../../../kernel/idempotency/queries.ts'
import { eventRows, insertEvents, OUTBOX_CHANNEL } from '../../../kernel/outbox/record.ts'
import { Batcher } from '../../../platform/concurrency/batcher.ts'
import { AUTOMATIONS_CHANNEL } from './channel.ts'

/** Something that a team says has happened to a contact. */
export interface SentEvent {
  readonly team: string
  readonly event: string
  /** Null: it is about the address, whether there is a contact with it or not. */
  readonly contactId: string | null
  readonly email: string | null
  readonly payload: object
  /** As JSON: whoever has checked it knows. */
  readonly payloadBytes: number
  readonly idempotency: AnsweredRequest | null
}

// As for emails: a hundred of 5 kB are half a megabyte a statement. What is larger counts as several.
const LIMITS = { maxItems: 100, maxWrites: 3, maxWaiting: 5_000, weigh }
const EVENT_BYTES = 5_000

function weigh({ team, payloadBytes }: SentEvent): { tenant: string; weight: number } {
  return { tenant: team, weight: Math.max(1, payloadBytes / EVENT_BYTES) }
}

/**
 * Accepts events: outbox row and idempotency record in one statement, and the promise resolves when the commit is durable. Those that
 * arrive while a write is under way share the next commit, and are noted for automations in the order in which they came.
 */
export class EventIntake {
  readonly #db: Database
  readonly #batcher: Batcher<SentEvent, boolean>

  constructor(db: Database) {
    this.#db = db
    this.#batcher = new Batcher((events) => this.#write(events), LIMITS)
  }

  /** False: the idempotency key is taken, and nothing was written. */
  send(event: SentEvent): Promise<boolean> {
    return this.#batcher.add(event)
  }

  async #write(events: readonly SentEvent[]): Promise<boolean[]> {
    const rows = await this.#db.queryPooled<{ unit: number }>(statement(events, this.#db))
    this.#db.signals.announce(OUTBOX_CHANNEL)
    this.#db.signals.announce(AUTOMATIONS_CHANNEL)
    const admitted = new Set(rows.map(({ unit }) => unit))
    return events.map((event, unit) => event.idempotency === null || admitted.has(unit))
  }
}

/** The trigger of the outbox numbers the events as they are inserted, so that happens in the order in which they came. */
function statement(events: readonly SentEvent[], db: Database): Sql {
  const rows = eventRows(
    db.clock,
    events.map((event) => ({ team: event.team, type: 'event.sent', data: dataOf(event) })),
  )
  if (events.every(({ idempotency }) => idempotency === null)) return insertEvents(sql`select * from ${rows}`)
  return sql`
    with ${claimKeys(db, events)},
    numbered as (
      select new.*, row_number() over ()::int - 1 as unit from ${rows}),
    added as (${insertEvents(sql`
      select team, id, type, data, about, "at" from numbered join admitted using (unit) order by unit`)})
    select unit from admitted`
}

const dataOf = ({ event, contactId, email, payload }: SentEvent) => ({
  event,
  ...(contactId !== null && { contact_id: contactId }),
  ...(email !== null && { email }),
  payload,
})
