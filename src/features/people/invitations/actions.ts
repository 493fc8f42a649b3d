import type { Static } from 'typebox'
import { annotateAudit } from '../../../kernel/audit/annotations.ts'
import type { Transaction } from '../../../kernel/db/database.ts'
import { type Actor, requireUser } from '../../../kernel/http/actor.ts'
import { found, Problem } from '../../../kernel/http/problem.ts'
import { plainLine, plainName } from '../../../mail/plain-name.ts'
import { teamName } from '../../teams/index.ts'
import {
  acceptAsUser,
  acceptOwn,
  deleteInvitation,
  insertInvitation,
  lockInvitation,
  renewInvitation,
} from '../invitations.ts'
import { linkAddress } from '../links.ts'
import { sendSystemMail, systemMailBody } from '../mail.ts'
import { requireOwner } from '../members/actions.ts'
import { emailOf } from '../memberships.ts'
import type { Role } from '../roles.ts'
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
    await mail(services, trx, { actor, email, role, token })
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
    await mail(services, trx, { actor, email, role, token })
    annotateAudit(trx, { details: { email, role } })
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

/** Untrusted text in mail that comes from us. */
const MAX_NAME_CHARACTERS = 60
const MAX_ADDRESS_CHARACTERS = 254

/** In the transaction of the invitation: there is none that nobody hears of. */
async function mail(
  services: PeopleInvitationsServices,
  trx: Transaction,
  { actor, email, role, token }: { actor: Actor; email: string; role: Role; token: string },
) {
  const { id: userId } = requireUser(actor).identity
  services.invitationLimit.take(userId, email)
  const team = plainName(await teamName(trx, actor.team), MAX_NAME_CHARACTERS) || 'a team'
  const inviter = plainLine((await emailOf(trx, userId)) ?? '', MAX_ADDRESS_CHARACTERS)
  const link = linkAddress(services.publicUrl(), 'invitation', token)
  const body = systemMailBody({
    lines: [`${inviter} invited you to join the team “${team}” on Postwren as ${ROLE_WORDS[role]}.`],
    act: 'Accept invitation',
    link,
    foot: 'The link works once and expires in seven days. If you did not expect this invitation, ignore this email.',
  })
  const subject = `${plainLine(inviter, MAX_NAME_CHARACTERS)} invited you to ${team} on Postwren`
  await sendSystemMail(services, { to: email, subject, ...body, link }, trx)
}

const ROLE_WORDS: Record<Role, string> = {
  owner: 'an owner',
  admin: 'an admin',
  developer: 'a developer',
  viewer: 'a viewer',
}
