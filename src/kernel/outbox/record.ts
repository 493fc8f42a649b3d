import type { Clock } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import { bytesOfContext, type TraceContext, tracing } from '../../platform/observability/tracing.ts'
import type { Transaction } from '../db/database.ts'
import { anyRowsOf } from '../db/rows.ts'
import { type Sql, sql } from '../db/sql.ts'

/** Every type of event that the outside may learn of today. */
export const EVENT_TYPES = [
  // Not in the contract: mail that waits for approval.
  'approval.requested',
  'approval.approved',
  'approval.refused',
  'approval.expired',
  // Not in the contract: the guard has stopped a broadcast.
  'broadcast.paused',
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'contact.topics.updated',
  'domain.created',
  'domain.updated',
  'domain.deleted',
  // Not in the contract: what is in the DNS for a domain was right and is not, or is right again.
  'domain.degraded',
  'domain.recovered',
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
  // Not in the contract: for open dashboards, at most once a second.
  'policy.refused',
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
  /** The span that caused it: webhooks go on with its trace. */
  readonly trace?: TraceContext | undefined
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
  await trx.query(insertNewEvents(trx.clock, withActiveTrace(events)))
  trx.announce(OUTBOX_CHANNEL)
}

/** Events with the trace of what happens just now. Not for batches, whose events have causes of their own. */
export function withActiveTrace(events: readonly NewEvent[]): readonly NewEvent[] {
  const trace = tracing?.active?.context
  return trace ? events.map((event) => ({ ...event, trace })) : events
}

/**
 * For a statement that writes the cause as well, when a second one would be a round trip too many: `rows` selects team, id, type,
 * data, about and when it happened, in the time of the team. Whoever sends it announces `OUTBOX_CHANNEL`.
 */
export const insertEvents = (rows: Sql): Sql => sql.write`
  insert into outbox (team_id, id, type, data, about, created_at) ${rows}`

/** The same, with the trace as one more column. */
export const insertTracedEvents = (rows: Sql): Sql => sql.write`
  insert into outbox (team_id, id, type, data, about, created_at, trace_context) ${rows}`

/** Changes what events `o` say. */
export const updateEventData = (data: Sql, which: Sql): Sql =>
  sql.write`update outbox o set data = ${data} where ${which}`

/** Writes events. `of`: what else they are selected from, and on which condition. */
export function insertNewEvents(clock: Clock, events: readonly NewEvent[], of: Sql = sql``): Sql {
  const isTraced = tracing !== null && events.some(({ trace }) => trace)
  if (!isTraced) return insertEvents(sql`select new.* from ${eventRows(clock, events)}${of}`)
  return insertTracedEvents(
    sql`select new.* from ${anyRowsOf(rowsOfEvents(clock, events), TRACED_COLUMNS, 'new')}${of}`,
  )
}

/** Events as a table `new` with the columns that `insertEvents` wants. */
export const eventRows = (clock: Clock, events: readonly NewEvent[]): Sql =>
  anyRowsOf(rowsOfEvents(clock, events), COLUMNS, 'new')

const COLUMNS = { team: 'uuid', id: 'uuid', type: 'text', data: 'json', about: 'uuid', at: 'timestamptz' } as const
const TRACED_COLUMNS = { ...COLUMNS, trace: 'bytea' } as const

const rowsOfEvents = (clock: Clock, events: readonly NewEvent[]) =>
  events.map(({ team, type, data, about, trace }) => {
    const own = clock.of(team)
    const at = own.now()
    return { team, id: newId(own, at), type, data, about, at, trace: trace ? bytesOfContext(trace) : null }
  })
