import type { Static } from 'typebox'
import type { Transaction } from '../../kernel/db/database.ts'
import { toJson } from '../../kernel/db/rows.ts'
import { sql } from '../../kernel/db/sql.ts'
import { type Imported, keptId, type Provenance } from '../imported.ts'
import type { CreateEvent } from './schema.ts'

/** What another account says about an event of its own: the one with its name is the same. */
export async function importEventDefinition(
  trx: Transaction,
  team: string,
  event: Provenance & Static<typeof CreateEvent> & { readonly updated_at: Date | null },
): Promise<Imported> {
  const schema = toJson(event.schema ?? null)
  const [known] = await trx.query<{ id: string }>(sql`
    select id from event_definitions where team_id = ${team} and name = ${event.name}`)
  if (known) {
    const changed = await trx.query(sql.write`
      update event_definitions set schema = ${schema}::jsonb, updated_at = ${trx.clock.of(team).now()}
      where team_id = ${team} and id = ${known.id} and schema is distinct from ${schema}::jsonb returning id`)
    return { id: known.id, outcome: changed.length > 0 ? 'updated' : 'unchanged' }
  }
  const id = keptId(event)
  await trx.query(sql.write`
    insert into event_definitions (team_id, id, name, schema, created_at, updated_at)
    values (${team}, ${id}, ${event.name}, ${schema}, ${event.created_at}, ${event.updated_at})`)
  return { id, outcome: 'created' }
}
