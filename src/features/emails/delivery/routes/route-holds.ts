import { type AuditActor, recordAuditOfTeams } from '../../../../kernel/audit/record.ts'
import type { Transaction } from '../../../../kernel/db/database.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { TEAMS_OF_PEOPLE } from '../../../teams/reads.ts'
import { holdRoute, releaseRoute } from './route-store.ts'

// Taking a route out of use, and into use again: it is in the audit log of all teams, whose mail takes it.

/** False: it is out of use already. */
export async function holdRouteIn(
  trx: Transaction,
  actor: AuditActor,
  { name, reason }: { readonly name: string; readonly reason: string },
): Promise<boolean> {
  const isDone = await holdRoute(trx, name, reason)
  if (isDone) await record(trx, actor, { action: 'routes.hold', details: { route: name, reason } })
  return isDone
}

/** False: it was in use. */
export async function releaseRouteIn(
  trx: Transaction,
  actor: AuditActor,
  { name, reason }: { readonly name: string; readonly reason?: string },
): Promise<boolean> {
  const isDone = await releaseRoute(trx, name)
  const details = { route: name, ...(reason !== undefined && { reason }) }
  if (isDone) await record(trx, actor, { action: 'routes.release', details })
  return isDone
}

const record = (trx: Transaction, actor: AuditActor, event: { action: string; details: object }) =>
  recordAuditOfTeams(trx, sql`select id as team_id from ${TEAMS_OF_PEOPLE} t`, { actor, ...event })
