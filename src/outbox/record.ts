import type { Transaction } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'

/** Every kind of fact that the outside may learn today. */
export const EVENT_TYPES = [
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'contact.topics.updated',
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
  if (facts.length === 0) return
  await trx.query(sql`
    insert into outbox (team_id, id, type, data)
    select ${team}, id, ${type}, data
    from unnest(${facts.map(() => newId())}::uuid[], ${facts.map((fact) => JSON.stringify(fact))}::json[]) as fact (id, data)`)
  trx.announce(OUTBOX_CHANNEL)
}
