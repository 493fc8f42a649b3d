import type { Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { plainLine, plainName } from '../../mail/plain-name.ts'
import { TEAM_NAMES } from '../teams/reads.ts'
import type { InvitationLimit } from './invitation-limit.ts'
import { noInvitation, renewMailedToken } from './invitations.ts'
import { linkAddress } from './links.ts'
import { type SystemMailServices, sendSystemMail, systemMailBody } from './mail.ts'
import { emailOf } from './memberships.ts'
import type { Role } from './roles.ts'

/** What mailing an invitation needs. */
export interface InvitationMailServices extends SystemMailServices {
  readonly invitationLimit: InvitationLimit
  publicUrl(): string
}

/** Mails the invitation to its address when a copied link is opened without an account: only the mail proves who owns the address. */
export async function confirmByMail(services: InvitationMailServices, copied: string) {
  await services.db.transaction(async (trx) => {
    const renewed = await renewMailedToken(trx, copied)
    if (!renewed?.invitedBy) throw noInvitation()
    await mailInvitation(services, trx, { ...renewed, invitedBy: renewed.invitedBy })
  })
}

/** Untrusted text in mail that comes from us. */
const MAX_NAME_CHARACTERS = 60
const MAX_ADDRESS_CHARACTERS = 254

interface InvitationMail {
  readonly team: string
  readonly invitedBy: string
  readonly email: string
  readonly role: Role
  readonly token: string
}

/** In the transaction of the invitation, so that none is stored without its mail. */
export async function mailInvitation(services: InvitationMailServices, trx: Transaction, invitation: InvitationMail) {
  const { team, invitedBy, email, role, token } = invitation
  services.invitationLimit.take(invitedBy, email)
  const name = plainName((await nameOf(trx, team)) ?? '', MAX_NAME_CHARACTERS) || 'a team'
  const inviter = plainLine((await emailOf(trx, invitedBy)) ?? '', MAX_ADDRESS_CHARACTERS)
  const link = linkAddress(services.publicUrl(), 'invitation', token)
  const body = systemMailBody({
    lines: [`${inviter} invited you to join the team “${name}” on Postwren as ${ROLE_WORDS[role]}.`],
    act: 'Accept invitation',
    link,
    foot: 'The link works once and expires in seven days. If you did not expect this invitation, ignore this email.',
  })
  const subject = `${plainLine(inviter, MAX_NAME_CHARACTERS)} invited you to ${name} on Postwren`
  await sendSystemMail(services, { to: email, subject, ...body, link, about: team }, trx)
}

async function nameOf(trx: Transaction, team: string): Promise<string | undefined> {
  const [row] = await trx.query<{ name: string }>(sql`select t.name from ${TEAM_NAMES} t where t.id = ${team}`)
  return row?.name
}

const ROLE_WORDS: Record<Role, string> = {
  owner: 'an owner',
  admin: 'an admin',
  developer: 'a developer',
  viewer: 'a viewer',
}
