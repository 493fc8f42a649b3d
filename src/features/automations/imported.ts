import type { Static } from 'typebox'
import type { Transaction } from '../../kernel/db/database.ts'
import { type Imported, keptId, type Provenance } from '../imported.ts'
import { requireBelowMaximum } from './actions.ts'
import { insertAutomation } from './engine/store.ts'
import { checkGraph } from './graph-check.ts'
import { findAutomation } from './queries.ts'
import { requireReferences } from './references.ts'
import type { CreateAutomation } from './schema.ts'

/**
 * An automation of another account, without its runs. One with its id stays as it is: it may have been changed here. Refused with the reason
 * when what its steps speak of is not here.
 */
export async function importAutomation(
  trx: Transaction,
  team: string,
  automation: Provenance & Static<typeof CreateAutomation> & { readonly updated_at: Date },
): Promise<Imported> {
  const { name, status, steps, connections, created_at, updated_at } = automation
  const id = keptId(automation)
  if (await findAutomation(trx, team, id)) return { id, outcome: 'unchanged' }
  const graph = checkGraph(steps, connections)
  await requireReferences(trx, team, graph)
  await requireBelowMaximum(trx, team)
  await insertAutomation(trx, team, { name, status, graph, former: { id, created_at, updated_at } })
  return { id, outcome: 'created' }
}
