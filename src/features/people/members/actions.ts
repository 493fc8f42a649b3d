import type { Static } from 'typebox'
import { annotateAudit } from '../../../kernel/audit/annotations.ts'
import type { Transaction } from '../../../kernel/db/database.ts'
import { type Actor, requireFresh, requirePermission, requireUser } from '../../../kernel/http/actor.ts'
import { found } from '../../../kernel/http/problem.ts'
import { revokeGrantsOf } from '../../oauth/grants.ts'
import { deleteMembership, emailOf, lockRole, requireAnotherOwner, updateRole } from '../memberships.ts'
import type { Role } from '../roles.ts'
import type { UpdateMember } from './schema.ts'
import type { PeopleMembersServices } from './services.ts'

export async function changeMember(
  services: PeopleMembersServices,
  actor: Actor,
  userId: string,
  { role }: Static<typeof UpdateMember>,
) {
  const { team } = actor
  await services.db.transaction(async (trx) => {
    const before = found(await lockRole(trx, team, userId), 'Member')
    if (before === role) return
    if (before === 'owner' || role === 'owner') requireOwner(services, actor)
    if (before === 'owner') await requireAnotherOwner(trx, team, userId)
    await updateRole(trx, team, userId, role)
    annotateAudit(trx, { details: { email: await emailOf(trx, userId), role, before } })
  })
  services.sessions.forget()
}

export async function removeMember(services: PeopleMembersServices, actor: Actor, userId: string) {
  await services.db.transaction(async (trx) => {
    const role = found(await lockRole(trx, actor.team, userId), 'Member')
    if (role === 'owner') requireOwner(services, actor)
    await endMembership(trx, actor.team, userId, role)
  })
  services.sessions.forget()
}

/** Anybody may leave any of their teams, except the last owner. */
export async function leaveTeam(services: PeopleMembersServices, actor: Actor, team: string): Promise<string> {
  const { id: userId } = requireUser(actor).identity
  await services.db.transaction(async (trx) => {
    const role = found(await lockRole(trx, team, userId), 'Team')
    await endMembership(trx, team, userId, role)
    annotateAudit(trx, { team })
  })
  services.sessions.forget()
  return userId
}

/** Who owns a team is decided by owners, and by nobody who found their desk empty. */
export function requireOwner({ clock }: PeopleMembersServices, actor: Actor) {
  requirePermission(actor, 'owner')
  requireFresh(actor, clock.now())
}

/** What the person did with a program of theirs ends, too. Keys that they have made belong to the team, and stay. */
async function endMembership(trx: Transaction, team: string, userId: string, role: Role) {
  if (role === 'owner') await requireAnotherOwner(trx, team, userId)
  await deleteMembership(trx, team, userId)
  await revokeGrantsOf(trx, team, userId, 'membership_ended')
  annotateAudit(trx, { objectId: userId, details: { email: await emailOf(trx, userId), role } })
}
