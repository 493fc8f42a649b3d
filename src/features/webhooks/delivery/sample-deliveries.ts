import type { Transaction } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { insertEvents } from '../../../kernel/outbox/record.ts'
import { newId } from '../../../platform/ids.ts'
import { TEST_PREFIX } from './message.ts'

interface TestEvent {
  readonly webhookId: string
  readonly type: string
  readonly data: object
}

/**
 * Writes an event for one webhook alone: its type has no subscribers, so it is not counted and triggers nothing. Its delivery is
 * one that has failed and is to be replayed, so it is tried once, like a replay.
 */
export async function insertTestEvent(
  trx: Transaction,
  team: string,
  { webhookId, type, data }: TestEvent,
): Promise<string> {
  const own = trx.clock.of(team)
  const at = own.now()
  const id = newId(own, at)
  await trx.query(
    insertEvents(sql`
      values (${team}::uuid, ${id}::uuid, ${TEST_PREFIX}::text || ${type}::text, ${JSON.stringify(data)}::json, null::uuid, ${at}::timestamptz)`),
  )
  await trx.query(sql.write`
    insert into webhook_deliveries (team_id, webhook_id, event_id, state, is_replay_wanted, due_at)
    values (${team}, ${webhookId}, ${id}, 'failed', true, ${trx.clock.now()})`)
  return id
}
