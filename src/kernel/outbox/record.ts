import type { Clock } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Transaction } from '../db/database.ts'
import { anyRowsOf } from '../db/rows.ts'
import { type Sql, sql } from '../db/sql.ts'

/** Every type of event that the outside may learn of today. */
export const EVENT_TYPES = [
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'contact.topics.updated',
  'domain.created',
  'domain.updated',
  'domain.deleted',
  // Not in the contract: for other browsers that show the same document.
  'editor.content.updated',
  'editor.connections.updated',
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
  // An event of the team's own, for automations. Its name and whom it is about are in its data.
  'event.sent',
  'inbox.created',
  'inbox.updated',
  'inbox.deleted',
  'inbox.thread.created',
  'inbox.thread.folder.updated',
  'inbox.thread.assigned',
  'inbox.thread.unassigned',
  'inbox.thread.labels.updated',
  'inbox.email.received',
  'inbox.email.sent',
  'inbox.draft.created',
  'inbox.draft.updated',
  'inbox.draft.sent',
  'inbox.draft.deleted',
  // Not in the contract: for other browsers that show the same inbox.
  'inbox.thread.read.updated',
  'inbox.agent.run.ended',
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
  await trx.query(insertEvents(sql`select * from ${eventRows(trx.clock, events)}`))
  trx.announce(OUTBOX_CHANNEL)
}

/**
 * For a statement that writes the cause as well, when a second one would be a round trip too many: `rows` selects team, id, type,
 * data, about and when it happened, in the time of the team. Whoever sends it announces `OUTBOX_CHANNEL`.
 */
export const insertEvents = (rows: Sql): Sql => sql.write`
  insert into outbox (team_id, id, type, data, about, created_at) ${rows}`

/** Events as a table `new` with the columns that `insertEvents` wants. */
export function eventRows(clock: Clock, events: readonly NewEvent[]): Sql {
  const rows = events.map(({ team, type, data, about }) => {
    const own = clock.of(team)
    const at = own.now()
    return { team, id: newId(own, at), type, data, about, at }
  })
  const columns = { team: 'uuid', id: 'uuid', type: 'text', data: 'json', about: 'uuid', at: 'timestamptz' } as const
  return anyRowsOf(rows, columns, 'new')
}
