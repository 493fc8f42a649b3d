import type { Transaction } from '../platform/db/database.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'

/** Every type of event that the outside may learn of today. */
export const EVENT_TYPES = [
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'contact.topics.updated',
  'domain.created',
  'domain.updated',
  'domain.deleted',
  'email.bounced',
  'email.clicked',
  'email.complained',
  'email.delivered',
  'email.delivery_delayed',
  'email.failed',
  'email.received',
  'email.opened',
  'email.scheduled',
  'email.sent',
  'email.suppressed',
  // Not in the list that webhooks choose from: it is for the timeline of the email and for metrics.
  'email.unsubscribed',
  'suppression.added',
  'suppression.removed',
  'topic.created',
  'topic.updated',
  'topic.deleted',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

export const OUTBOX_CHANNEL = 'outbox'

/** Something that happened, and that the outside may learn: a row of the outbox. */
export interface NewEvent {
  readonly team: string
  readonly type: EventType
  readonly data: object
  /** The email that it is about: such events are the email's timeline. */
  readonly about?: string
}

/** Writes events beside their cause: they commit with it or not at all. Nothing is ever published from memory. */
export async function record(trx: Transaction, team: string, type: EventType, events: readonly object[]) {
  await recordAll(
    trx,
    events.map((data) => ({ team, type, data })),
  )
}

/** Events of any teams and types, in the order given. */
export async function recordAll(trx: Transaction, events: readonly NewEvent[]) {
  if (events.length === 0) return
  await trx.query(insertEvents(sql`select * from ${eventRows(events)}`))
  trx.announce(OUTBOX_CHANNEL)
}

/**
 * For a statement that writes the cause as well, when a second one would be a round trip too many: `rows` selects team, id, type,
 * data and about. Whoever sends it announces `OUTBOX_CHANNEL`.
 */
export const insertEvents = (rows: Sql): Sql => sql`insert into outbox (team_id, id, type, data, about) ${rows}`

/** Events as a table `new` with the columns that `insertEvents` wants. */
export const eventRows = (events: readonly NewEvent[]): Sql => sql`
  unnest(${events.map(({ team }) => team)}::uuid[], ${events.map(() => newId())}::uuid[],
    ${events.map(({ type }) => type)}::text[], ${events.map(({ data }) => JSON.stringify(data))}::json[],
    ${events.map(({ about }) => about ?? null)}::uuid[]) as new (team_id, id, type, data, about)`
