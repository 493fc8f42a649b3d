import type { Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { insertion } from '../../kernel/http/columns.ts'
import { type Imported, keptId, type Provenance } from '../imported.ts'
import { type BroadcastValues, columnsOfValues } from './queries.ts'

export interface ImportedBroadcast extends Provenance, BroadcastValues {
  /** `sent` and `canceled` are records of what happened elsewhere: nothing here is going to send them. */
  readonly status: 'draft' | 'sent' | 'canceled'
  readonly sent_at: Date | null
}

/** A broadcast of another account, without its recipients. One with its id stays as it is: it may have been changed or sent here. */
export async function importBroadcast(trx: Transaction, team: string, broadcast: ImportedBroadcast): Promise<Imported> {
  const id = keptId(broadcast)
  const known = await trx.query(sql`select id from broadcasts where team_id = ${team} and id = ${id}`)
  if (known.length > 0) return { id, outcome: 'unchanged' }
  const { status, sent_at, created_at } = broadcast
  await trx.query(sql.write`
    insert into broadcasts ${insertion({
      ...{ team_id: team, id, created_at, updated_at: created_at, status, sent_at },
      ...columnsOfValues(broadcast),
      is_walked: status !== 'draft',
    })}`)
  return { id, outcome: 'created' }
}
