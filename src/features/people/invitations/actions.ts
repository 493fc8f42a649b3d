import type { Static } from 'typebox'
import { annotateAudit } from '../../../kernel/audit/annotations.ts'
import { type Actor, requireUser } from '../../../kernel/http/actor.ts'
import { found, Problem } from '../../../kernel/http/problem.ts'
import { mailInvitation } from '../invitation-mail.ts'
import {
  acceptAsUser,
  acceptOwn,
  copyInvitationLink,
  deleteInvitation,
  insertInvitation,
  lockInvitation,
  renewInvitation,
} from '../invitations.ts'
import { linkAddress } from '../links.ts'
import { requireOwner } from '../members/actions.ts'
import type { AcceptInvitation, CreateInvitation } from './schema.ts'
import type { PeopleInvitationsServices } from './services.ts'

/** Asks somebody by mail to join. Only owners ask for owners. */
export function invite(
  services: PeopleInvitationsServices,
  actor: Actor,
  body: Static<typeof CreateInvitation>,
): Promise<string> {
  const { email, role } = body
  const { id: invitedBy } = requireUser(actor).identity
  if (role === 'owner') requireOwner(services, actor)
  return services.db.transaction(async (trx) => {
    const { id, token } = await insertInvitation(trx, actor.team, { email, role, invitedBy })
    await mailInvitation(services, trx, { team: actor.team, invitedBy, email, role, token })
    annotateAudit(trx, { objectId: id, details: { email, role } })
    return id
  })
}

/** Mails an invitation once more, with a new link: the old one is good for nothing then. */
export async function inviteAgain(services: PeopleInvitationsServices, actor: Actor, id: string) {
  const { id: invitedBy } = requireUser(actor).identity
  await services.db.transaction(async (trx) => {
    const { email, role, token } = found(await renewInvitation(trx, actor.team, id, invitedBy), 'Invitation')
    if (role === 'owner') requireOwner(services, actor)
    await mailInvitation(services, trx, { team: actor.team, invitedBy, email, role, token })
    annotateAudit(trx, { details: { email, role } })
  })
}

/** A separate key: a copied link is derived again each time; only its digest is stored. */
const LINK_KEY = 'invitation-links'

/** The link to pass on to the invited person, in a chat for example. Sending the invitation again revokes it. */
export function copyLink(services: PeopleInvitationsServices, actor: Actor, id: string): Promise<string> {
  const { id: invitedBy } = requireUser(actor).identity
  const key = services.sealer.deriveKey(LINK_KEY)
  return services.db.transaction(async (trx) => {
    const { email, role, token } = found(
      await copyInvitationLink(trx, actor.team, { id, invitedBy, key }),
      'Invitation',
    )
    if (role === 'owner') requireOwner(services, actor)
    annotateAudit(trx, { details: { email, role } })
    return linkAddress(services.publicUrl(), 'invitation', token)
  })
}

export async function removeInvitation({ db }: PeopleInvitationsServices, { team }: Actor, id: string) {
  await db.transaction(async (trx) => {
    const { email, role } = found(await lockInvitation(trx, team, id), 'Invitation')
    await deleteInvitation(trx, team, id)
    annotateAudit(trx, { details: { email, role } })
  })
}

/** Somebody who is signed in as whom the mail went to. Returns the team. */
export async function joinTeam(
  services: PeopleInvitationsServices,
  actor: Actor,
  { token, invitation_id: id }: Static<typeof AcceptInvitation>,
): Promise<string> {
  const { id: userId } = requireUser(actor).identity
  if (token === undefined && id === undefined) throw new Problem('missing_required_field', 'Missing `token` field.')
  const { team } = await services.db.transaction(async (trx) => {
    const accepted = token === undefined ? await acceptOwn(trx, id!, userId) : await acceptAsUser(trx, token, userId)
    annotateAudit(trx, {
      team: accepted.team,
      objectId: userId,
      details: { email: accepted.email, role: accepted.role },
    })
    return accepted
  })
  services.sessions.forget()
  return team
}
