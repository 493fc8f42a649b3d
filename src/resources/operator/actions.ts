import type { Static } from 'typebox'
import { noteForAudit } from '../../audit/notes.ts'
import { takeUpMail } from '../../delivery/jobs.ts'
import { type Actor, requireFresh } from '../../http/actor.ts'
import { fieldsOf } from '../../http/columns.ts'
import { found } from '../../http/problem.ts'
import { findRow } from '../../http/rows.ts'
import { type TeamLimits as Limits, writeLimits } from '../../limits/team-limits.ts'
import { enqueue } from '../../platform/jobs/queries.ts'
import { teamStatesChanged } from '../limits.ts'
import type { Services } from '../services.ts'
import { setSuspension } from '../teams/actions.ts'
import { operatedTeamRows } from './queries.ts'
import { ChangeLimits, type SuspendTeam } from './schema.ts'

/** Another value for each limit that is named; the others stay. */
export async function changeLimits(services: Services, team: string, body: Static<typeof ChangeLimits>) {
  const changes = fieldsOf(ChangeLimits, body)
  await services.db.transaction(async (trx) => {
    found(await findRow(trx, operatedTeamRows(services.clock.now()), team), 'Team')
    await writeLimits(trx, team, renamed(changes))
    noteForAudit(trx, { team, objectId: team, details: changes })
  })
  await teamStatesChanged(services)
}

/** From now on its keys are refused, its people can only look, and its mail stays where it is. */
export async function suspendTeam(
  services: Services,
  actor: Actor,
  team: string,
  { reason }: Static<typeof SuspendTeam>,
) {
  requireFresh(actor, services.clock.now())
  await services.db.transaction(async (trx) => {
    found(await setSuspension(trx, team, { reason }), 'Team')
    noteForAudit(trx, { team, objectId: team, details: { reason } })
  })
  await teamStatesChanged(services)
}

/** What has waited meanwhile leaves. */
export async function unsuspendTeam(services: Services, actor: Actor, team: string) {
  requireFresh(actor, services.clock.now())
  await services.db.transaction(async (trx) => {
    found(await setSuspension(trx, team, null), 'Team')
    await enqueue(trx, takeUpMail, {}, { key: team })
    noteForAudit(trx, { team, objectId: team })
  })
  await teamStatesChanged(services)
}

const NAMES = {
  emails_per_day: 'emailsPerDay',
  emails_per_month: 'emailsPerMonth',
  recipients_per_second: 'recipientsPerSecond',
  contacts: 'contacts',
  domains: 'domains',
  webhooks: 'webhooks',
  received_per_day: 'receivedPerDay',
} as const satisfies Record<keyof Static<typeof ChangeLimits>, keyof Limits>

const renamed = (changes: Static<typeof ChangeLimits>): Partial<Limits> =>
  Object.fromEntries(Object.entries(changes).map(([name, value]) => [NAMES[name as keyof typeof NAMES], value]))
