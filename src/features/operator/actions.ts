import type { Static } from 'typebox'
import { annotateAudit } from '../../kernel/audit/annotations.ts'
import type { Transaction } from '../../kernel/db/database.ts'
import { type Actor, requireFresh } from '../../kernel/http/actor.ts'
import { fieldsOf } from '../../kernel/http/columns.ts'
import { found } from '../../kernel/http/problem.ts'
import { findRow } from '../../kernel/http/rows.ts'
import { enqueue } from '../../kernel/jobs/queries.ts'
import { takeUpMail } from '../emails/delivery/jobs.ts'
import { type TeamLimits as Limits, writeLimits } from '../limits/team-limits.ts'
import { teamStatesChanged } from '../limits.ts'
import { setSuspension } from '../teams/index.ts'
import { operatedTeamRows } from './queries.ts'
import { ChangeLimits, type SuspendTeam } from './schema.ts'
import type { OperatorServices } from './services.ts'

// Each act is a function of a transaction, too: commands on the machine do the same, and no person stands behind them.

/** Another value for each limit that is named; the others stay. */
export async function changeLimits(services: OperatorServices, team: string, body: Static<typeof ChangeLimits>) {
  await services.db.transaction((trx) => changeLimitsIn(trx, team, body))
  await teamStatesChanged(services)
}

export async function changeLimitsIn(trx: Transaction, team: string, body: Static<typeof ChangeLimits>) {
  const changes = fieldsOf(ChangeLimits, body)
  found(await findRow(trx, operatedTeamRows(trx.clock.now()), team), 'Team')
  await writeLimits(trx, team, renamed(changes))
  annotateAudit(trx, { team, objectId: team, details: changes })
}

/** From now on its keys are refused, its people can only look, and its mail stays where it is. */
export async function suspendTeam(
  services: OperatorServices,
  actor: Actor,
  team: string,
  body: Static<typeof SuspendTeam>,
) {
  requireFresh(actor, services.clock.now())
  await services.db.transaction((trx) => suspendTeamIn(trx, team, body))
  await teamStatesChanged(services)
}

export async function suspendTeamIn(trx: Transaction, team: string, { reason }: Static<typeof SuspendTeam>) {
  found(await setSuspension(trx, team, { reason }), 'Team')
  annotateAudit(trx, { team, objectId: team, details: { reason } })
}

/** What has waited meanwhile leaves. */
export async function unsuspendTeam(services: OperatorServices, actor: Actor, team: string) {
  requireFresh(actor, services.clock.now())
  await services.db.transaction((trx) => unsuspendTeamIn(trx, team))
  await teamStatesChanged(services)
}

export async function unsuspendTeamIn(trx: Transaction, team: string) {
  found(await setSuspension(trx, team, null), 'Team')
  await enqueue(trx, takeUpMail, {}, { key: team })
  annotateAudit(trx, { team, objectId: team })
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
