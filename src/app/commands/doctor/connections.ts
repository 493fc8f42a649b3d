import type pg from 'pg'
import { connectionsNeeded } from '../../../adapters/postgres/settings.ts'
import { allowedOf, neededOf, readConnectionUse, shortageOf } from '../../../kernel/db/connection-use.ts'
import { findWorks } from '../../../kernel/db/presence.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { connectionBudget } from '../../../platform/settings/connection-budget.ts'
import { asked } from './asked.ts'
import { type Finding, fault, fine, warning } from './finding.ts'

const NAME = 'database_connections'

/** Whether the server has as many as all processes may open, and as those need that take their place during an upgrade. */
export async function checkConnections(client: pg.Client, config: Config): Promise<Finding[]> {
  const nodes = await findWorks(client)
  if (nodes !== null && nodes.length > 0) {
    const use = await readConnectionUse(asked(client))
    const shortage = shortageOf(use)
    if (shortage) return [fault(NAME, `${shortage[0]!.toUpperCase()}${shortage.slice(1)}.`)]
    return [
      fine(NAME, `Connections: PostgreSQL allows ${allowedOf(use)}, and ${neededOf(use)} may be needed at the most.`),
    ]
  }
  const { rows } = await client.query<{ connections: number; maxConnections: number }>(`
    select current_setting('max_connections')::int as "maxConnections",
      (select count(*) from pg_stat_activity where backend_type is null or backend_type = 'client backend')::int as connections`)
  const { connections, maxConnections } = rows[0]!
  const free = maxConnections - connections
  if (free >= connectionsNeeded(config)) return []
  return [
    warning(
      NAME,
      `PostgreSQL has ${free} of ${maxConnections} connections left, and each process takes up to ${connectionBudget(config).max}: raise max_connections, or lower POSTWREN_DATABASE_CONNECTIONS.`,
    ),
  ]
}
