import type { Transaction } from '../platform/db/database.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'

/** Every kind of fact that the outside may learn today. */
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

/** Writes facts beside their cause: they commit with it or not at all. Nothing is ever published from memory. */
export async function record(trx: Transaction, team: string, type: EventType, facts: readonly object[]) {
  await recordAll(
    trx,
    facts.map((data) => ({ team, type, data })),
  )
}

export interface Fact {
  readonly team: string
  readonly type: EventType
  readonly data: object
  /** The email that it is about: such facts are the email's timeline. */
  readonly about?: string
}

/** Facts of any teams and types, in the order given. */
export async function recordAll(trx: Transaction, facts: readonly Fact[]) {
  if (facts.length === 0) return
  await trx.query(sql`insert into outbox (team_id, id, type, data, about) select * from ${factRows(facts)} as new`)
  trx.announce(OUTBOX_CHANNEL)
}

/** Facts as rows of the outbox: team, id, type, data, about. */
export const factRows = (facts: readonly Fact[]): Sql => sql`
  unnest(${facts.map(({ team }) => team)}::uuid[], ${facts.map(() => newId())}::uuid[],
    ${facts.map(({ type }) => type)}::text[], ${facts.map(({ data }) => JSON.stringify(data))}::json[],
    ${facts.map(({ about }) => about ?? null)}::uuid[])`
