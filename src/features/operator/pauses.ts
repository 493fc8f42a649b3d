import { type AuditActor, recordAuditOfTeams } from '../../kernel/audit/record.ts'
import type { Transaction } from '../../kernel/db/database.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { DOMAIN_NAMES } from '../domains/reads.ts'
import {
  type DeliveryPause,
  type EndedPauses,
  endPauses,
  findPauses,
  type PauseFilter,
} from '../emails/delivery/pace/pause-store.ts'
import { endStops } from '../emails/delivery/transport/stop-store.ts'
import { TEAMS_OF_PEOPLE } from '../teams/reads.ts'

/**
 * Ends pauses and stops before their time. In the audit log of whom each is about: a team, those with the domain, or all teams. Stops are
 * one entry, however many there are.
 */
export async function liftPausesIn(
  trx: Transaction,
  actor: AuditActor,
  { filter, reason }: { readonly filter: PauseFilter; readonly reason: string },
): Promise<EndedPauses> {
  const lifted = await endPauses(trx, reason, filter)
  for (const pause of lifted.pauses) {
    const { destination, kind, identity } = pause
    const details = { destination, kind, ...(identity !== '' && { identity }), reason }
    await recordAuditOfTeams(trx, teamsOf(pause), { actor, action: 'queue.lift', details })
  }
  if (lifted.stops.length > 0) {
    const details = { ...filter, stops: lifted.stops.length, reason }
    await recordAuditOfTeams(trx, ALL_TEAMS, { actor, action: 'queue.lift', details })
  }
  return lifted
}

/**
 * The same of all that is in the way of mail to these destinations and domains. Most are in nobody's way: those that are, are looked for first.
 */
export async function liftPausesOf(
  trx: Transaction,
  actor: AuditActor,
  { destinations, reason }: { readonly destinations: ReadonlySet<string>; readonly reason: string },
) {
  const now = trx.clock.now()
  const paused = (await findPauses(trx, now)).filter(({ pausedUntil }) => pausedUntil > now)
  const names = new Set(paused.map(({ destination }) => destination).filter((name) => destinations.has(name)))
  for (const destination of names) await liftPausesIn(trx, actor, { filter: { destination }, reason })
  const stops = await endStops(
    trx,
    [...destinations].filter((name) => !names.has(name)),
  )
  if (stops.length > 0)
    await recordAuditOfTeams(trx, ALL_TEAMS, { actor, action: 'queue.lift', details: { stops: stops.length, reason } })
}

const ALL_TEAMS = sql`select id as team_id from ${TEAMS_OF_PEOPLE} t`

/** Nobody reads there of domains that are another team's. */
function teamsOf({ kind, identity }: DeliveryPause): Sql {
  if (kind === 'tenant') return sql`select id as team_id from ${TEAMS_OF_PEOPLE} t where id::text = ${identity}`
  if (kind === 'source' || kind === 'netblock' || kind === 'site') return ALL_TEAMS
  return sql`select distinct team_id from ${DOMAIN_NAMES} d where name = ${identity} or ${identity} like '%.' || name`
}
