import type { Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { addSuppressions, type NewSuppression } from '../emails/delivery/ledger/suppressions.ts'
import { datedId, orderedId, type Provenance } from '../imported.ts'

export type ImportedSuppression = Pick<NewSuppression, 'email' | 'origin' | 'sourceId'> & Provenance

/**
 * Suppressions of another account: how many of them are new. An address that is on the list already stays there as it is. No events: nothing
 * has happened to these addresses now.
 */
export async function importSuppressions(
  trx: Transaction,
  team: string,
  suppressions: readonly ImportedSuppression[],
): Promise<number> {
  if (suppressions.length === 0) return 0
  const ids = suppressions.map(orderedId)
  const taken = await trx.query<{ id: string }>(sql`
    select id from suppressions where team_id = ${team} and id = any (${ids}::uuid[])`)
  const used = new Set(taken.map(({ id }) => id))
  const rows = suppressions.map((suppression, index) => {
    const { id: _there, created_at, ...rest } = suppression
    const id = used.has(ids[index]!) ? datedId(suppression) : ids[index]!
    used.add(id)
    return { ...rest, former: { id, created_at } }
  })
  return addSuppressions(trx, team, rows, { isSilent: true })
}
