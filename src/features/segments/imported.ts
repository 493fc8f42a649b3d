import type { Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { type Imported, keptId, type Provenance } from '../imported.ts'
import { updateSegment } from './queries.ts'

/** A segment of another account: one with its id or its name is taken for the same. */
export async function importSegment(
  trx: Transaction,
  team: string,
  segment: Provenance & { readonly name: string },
): Promise<Imported> {
  const id = keptId(segment)
  const [known] = await trx.query<{ id: string; name: string }>(sql`
    select id, name from segments where team_id = ${team} and (id = ${id} or name = ${segment.name})
    order by id = ${id} desc, id limit 1`)
  if (known) {
    if (known.name === segment.name) return { id: known.id, outcome: 'unchanged' }
    await updateSegment(trx, team, known.id, { name: segment.name })
    return { id: known.id, outcome: 'updated' }
  }
  await trx.query(sql.write`
    insert into segments (team_id, id, name, created_at) values (${team}, ${id}, ${segment.name}, ${segment.created_at})`)
  return { id, outcome: 'created' }
}
