import type { Static } from 'typebox'
import type { Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { columnValues, insertion } from '../../kernel/http/columns.ts'
import { type Imported, keptId, type Provenance } from '../imported.ts'
import { updateTopic } from './queries.ts'
import { CreateTopic } from './schema.ts'

export interface ImportedTopic extends Imported {
  /** As it is here: that of a topic that was here before stays, because people have relied on it. */
  readonly default_subscription: 'opt_in' | 'opt_out'
}

/** A topic of another account: one with its id or its name is taken for the same. No events: nobody has subscribed to anything new. */
export async function importTopic(
  trx: Transaction,
  team: string,
  topic: Provenance & Static<typeof CreateTopic>,
): Promise<ImportedTopic> {
  const id = keptId(topic)
  const [known] = await trx.query<Pick<ImportedTopic, 'id' | 'default_subscription'>>(sql`
    select id, default_subscription from topics where team_id = ${team} and (id = ${id} or name = ${topic.name})
    order by id = ${id} desc, id limit 1`)
  const { name, description = null, visibility, default_subscription, created_at } = topic
  if (known) {
    const changed = await updateTopic(trx, team, known.id, { name, description, visibility })
    return { ...known, outcome: changed ? 'updated' : 'unchanged' }
  }
  const row = { team_id: team, id, created_at, updated_at: created_at }
  await trx.query(sql.write`insert into topics ${insertion({ ...row, ...columnValues(CreateTopic, topic) })}`)
  return { id, default_subscription, outcome: 'created' }
}
