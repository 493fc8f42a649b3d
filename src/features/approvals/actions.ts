import { annotateAudit } from '../../kernel/audit/annotations.ts'
import { type Actor, userOf } from '../../kernel/http/actor.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { findRow } from '../../kernel/http/rows.ts'
import { type Decided, decideApprovals } from '../emails/delivery/approvals/decide.ts'
import { emailOf } from '../people/memberships.ts'
import { approvalRows } from './queries.ts'
import type { ApprovalItem } from './schema.ts'
import type { DecidingServices } from './services.ts'

export type Decision = 'approve' | 'refuse'

export const STATUS_OF = { approve: 'approved', refuse: 'refused' } as const

/** As the people of the team know whoever decides. */
async function nameOf({ db }: DecidingServices, actor: Actor): Promise<string> {
  const user = userOf(actor)
  const person = user && (await emailOf(db, user))
  if (actor.identity.kind === 'token' && actor.name) return person ? `${actor.name} for ${person}` : actor.name
  return person || actor.name || 'an API key'
}

/** Decides about many at once, each for itself: what somebody else has decided before stays as it is. */
export async function decide(
  services: DecidingServices,
  actor: Actor,
  { ids, decision }: { readonly ids: readonly string[]; readonly decision: Decision },
): Promise<Decided[]> {
  const by = await nameOf(services, actor)
  return services.db.transaction(async (trx) => {
    const decided = await decideApprovals(trx, actor.team, {
      ids,
      by,
      decision: STATUS_OF[decision],
      giveUpAfterSeconds: services.config.GIVE_UP_AFTER,
    })
    const own = decided.filter(({ isNew }) => isNew)
    if (own.length > 0)
      annotateAudit(trx, { details: { decision: STATUS_OF[decision], emails: own.map(({ id }) => id) } })
    return decided
  })
}

/** One of them. Refused with who was first. */
export const decideOne =
  (decision: Decision) =>
  async (services: DecidingServices, actor: Actor, id: string): Promise<ApprovalItem> => {
    const decided = found((await decide(services, actor, { ids: [id], decision }))[0], 'Approval')
    if (decided.refusal) throw new Problem('policy_refused', waitsOn(decided.refusal))
    if (!decided.isNew || decided.status !== STATUS_OF[decision])
      throw new Problem('already_decided', alreadyDecided(decided))
    return found(await findRow<ApprovalItem>(services.db, approvalRows(actor.team), id), 'Approval')
  }

/** Why a yes is not enough for now, for somebody who has said it. */
export const waitsOn = ({ message }: { readonly message: string }) =>
  `${message} The email waits on. Approve it when the limit leaves room, or change the policy.`

/** What became of it, for somebody who wanted to decide. */
export function alreadyDecided({ status, decidedBy, isNew }: Omit<Decided, 'id'>): string {
  switch (status) {
    case 'expired':
      return 'The approval has expired. The email is canceled.'
    case 'canceled':
      return isNew
        ? 'The email is canceled: the API key that sent it was deleted, the access of its app revoked, or it was taken out of the queue.'
        : 'The email was canceled before.'
    default:
      return decidedBy ? `Already ${status} by ${decidedBy}.` : `Already ${status}.`
  }
}
