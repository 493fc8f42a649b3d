import type pg from 'pg'
import { findRoutesDown } from '../../../features/emails/delivery/routes/route-store.ts'
import { routeTableOf } from '../../../features/emails/delivery/routes/route-table.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import type { Sql } from '../../../kernel/db/sql.ts'
import { systemClock } from '../../../platform/clock.ts'
import { type Config, hostName } from '../../../platform/settings/config.ts'
import { type CheckInput, type Finding, fault, fine, warning } from './finding.ts'

/** Connects to each way that POSTWREN_ROUTES names, encrypts and logs in, as delivery does; no mail is sent. */
export async function checkRoutes({ config }: CheckInput): Promise<Finding[]> {
  if (!config.ROUTES) return []
  if (config.DELIVERY === 'inbox')
    return [warning('routes', 'POSTWREN_ROUTES is not used: with POSTWREN_DELIVERY=inbox nothing leaves.')]
  // Loaded only when there are some: it brings the clients along.
  const { checkRoute } = await import('../../../features/emails/delivery/routes/check-route.ts')
  const parts = { clock: systemClock, heloName: hostName(config), sourceAddresses: config.SOURCE_ADDRESS }
  const findings = config.ROUTES.routes.map(async (route): Promise<Finding[]> => {
    if (route.kind === 'direct') return []
    const found = await checkRoute(route, parts)
    if (found.kind === 'faulty') return [fault('routes', `Route ${route.name} cannot be used: ${found.reply}.`)]
    if (!found.isEncrypted)
      return [warning('routes', `Route ${route.name}: ${found.host} answers, without encryption.`)]
    return [fine('routes', `Route ${route.name}: ${found.host} answers, encrypted.`)]
  })
  return (await Promise.all(findings)).flat()
}

/** Direct delivery has no server that could be asked: what mail has found out about it. */
export async function checkDirectRoutes(client: pg.Client, config: Config): Promise<Finding[]> {
  const direct = routeTableOf(config).routes.filter(({ kind }) => kind === 'direct')
  const there = await client.query<{ isThere: boolean }>(
    `select to_regclass('delivery_routes') is not null as "isThere"`,
  )
  if (direct.length === 0 || !there.rows[0]!.isThere) return []
  const query = async (statement: Sql) => (await client.query(statement.toQuery())).rows
  const names = direct.map(({ name }) => name)
  const down = await findRoutesDown({ clock: systemClock, query } as Queryable, names)
  return down.map((name) =>
    fault(
      'routes',
      `Route ${name} reaches no site: check the network, the firewall and the name servers of this machine. See: postwren routes`,
    ),
  )
}
