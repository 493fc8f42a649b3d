import type { Static } from 'typebox'
import { annotateAudit } from '../../../kernel/audit/annotations.ts'
import { type Actor, loggedActor } from '../../../kernel/http/actor.ts'
import { logTeamOf } from '../own-team.ts'
import { liftPausesIn } from '../pauses.ts'
import type { OperatorServices } from '../services.ts'
import type { LiftPauses } from './schema.ts'

/** Mail that waits for them is tried as its time comes, and what is accepted from now on at once. */
export async function liftPauses(services: OperatorServices, actor: Actor, body: Static<typeof LiftPauses>) {
  const { reason, ...filter } = body
  const { pauses, stops } = await services.db.transaction(async (trx) => {
    const by = { ...loggedActor(actor), name: actor.name ?? null }
    annotateAudit(trx, { team: await logTeamOf(trx, services, actor), details: { ...filter, reason } })
    return liftPausesIn(trx, by, { filter, reason })
  })
  return { object: 'lifted_pauses' as const, count: pauses.length, is_stop_lifted: stops.length > 0 }
}
