import { createHmac, randomBytes } from 'node:crypto'
import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { tokenDigest } from '../../kernel/http/auth.ts'
import { Problem } from '../../kernel/http/problem.ts'
import type { Expired } from '../../kernel/jobs/retention.ts'
import { newId } from '../../platform/ids.ts'
import { LASTING_TEAMS, lockTeam } from '../teams/reads.ts'
import { emailOf, lockInviter } from './memberships.ts'
import type { Role } from './roles.ts'
import { addMember, ensureUser, findUser } from './users.ts'

/** How long somebody may take to accept. */
const VALID_MS = 7 * 86_400_000
/** Of one team that are open. Each was a mail to somebody who has not asked for it. */
const MAX_OPEN = 100

/** Of the mailed link. Only the recipient of the mail sees it: it creates an account for the address if there is none. */
const newInvitationToken = () => randomBytes(32).toString('base64url')

export interface NewInvitation {
  readonly email: string
  readonly role: Role
  readonly invitedBy: string
}

/** Asks somebody to join. An invitation that has run out makes room for a new one to the same address. */
export async function insertInvitation(trx: Transaction, team: string, invitation: NewInvitation) {
  const { email, role, invitedBy } = invitation
  const now = trx.clock.now()
  await lockInviter(trx, team, invitedBy, role)
  // Those who invite at the same time wait here for each other, so that they count what the others have written.
  await lockTeam(trx, team)
  await trx.query(sql.write`
    delete from invitations where team_id = ${team} and lower(email) = lower(${email}) and expires_at <= ${now}`)
  const [state] = await trx.query<{ isMember: boolean; isInvited: boolean; open: number }>(sql`
    select exists (
        select from memberships m join users u on u.id = m.user_id
        where m.team_id = ${team} and lower(u.email) = lower(${email})) as "isMember",
      exists (select from invitations where team_id = ${team} and lower(email) = lower(${email})) as "isInvited",
      (select count(*) from invitations where team_id = ${team} and expires_at > ${now})::int as open`)
  if (state!.isMember) throw new Problem('validation_error', 'This person is already a member of the team.')
  if (state!.isInvited)
    throw new Problem('validation_error', 'This person is already invited. Resend the invitation instead.')
  if (state!.open >= MAX_OPEN)
    throw new Problem('quota_exceeded', `A team can have up to ${MAX_OPEN} open invitations. Remove some first.`)
  const [id, token] = [newId(trx.clock), newInvitationToken()]
  await trx.query(sql.write`
    insert into invitations (team_id, id, email, role, token_sha256, invited_by, created_at, expires_at)
    values (${team}, ${id}, ${email}, ${role}, ${tokenDigest(token)}, ${invitedBy}, ${now}, ${validUntil(now)})`)
  return { id, token }
}

/**
 * Makes a new token for an invitation: the one in the mail that was sent before is good for nothing then. It is the invitation of whoever
 * sends it now, and ends with what they may do. Undefined: there is none.
 */
export async function renewInvitation(trx: Transaction, team: string, id: string, invitedBy: string) {
  const [known] = await trx.query<{ role: Role }>(sql`
    select role from invitations where team_id = ${team} and id = ${id}`)
  if (!known) return undefined
  // First who invites, then what: whoever takes the right from them does so in this order.
  await lockInviter(trx, team, invitedBy, known.role)
  const token = newInvitationToken()
  const [invitation] = await trx.query<{ email: string; role: Role }>(sql.write`
    update invitations
    set token_sha256 = ${tokenDigest(token)}, link_sha256 = null, invited_by = ${invitedBy}, expires_at = ${validUntil(trx.clock.now())}
    where team_id = ${team} and id = ${id} returning email, role`)
  return invitation && { ...invitation, token }
}

/**
 * The link that an inviter can copy: the same one each time, until the invitation is sent again or another member copies one. The invitation
 * then belongs to the member who copied it, as if they had sent it, so the link ends with their right to invite. Undefined: no such invitation.
 */
export async function copyInvitationLink(
  trx: Transaction,
  team: string,
  { id, invitedBy, key }: { readonly id: string; readonly invitedBy: string; readonly key: Buffer },
) {
  const [known] = await trx.query<{ role: Role }>(sql`
    select role from invitations where team_id = ${team} and id = ${id} and expires_at > ${trx.clock.now()}`)
  if (!known) return undefined
  await lockInviter(trx, team, invitedBy, known.role)
  const [invitation] = await trx.query<{ email: string; role: Role; expiresAt: Date }>(sql.write`
    update invitations set invited_by = ${invitedBy} where team_id = ${team} and id = ${id}
    returning email, role, expires_at as "expiresAt"`)
  if (!invitation) return undefined
  const token = createHmac('sha256', key)
    .update([id, invitedBy, invitation.expiresAt.getTime()].join(':'))
    .digest('base64url')
  await trx.query(sql.write`
    update invitations set link_sha256 = ${tokenDigest(token)} where team_id = ${team} and id = ${id}`)
  return { email: invitation.email, role: invitation.role, token }
}

/** A new token for the mail, when a copied link is opened without an account. Undefined: no such link. */
export async function renewMailedToken(trx: Transaction, copied: string) {
  const token = newInvitationToken()
  const [invitation] = await trx.query<{ team: string; email: string; role: Role; invitedBy: string | null }>(sql.write`
    update invitations set token_sha256 = ${tokenDigest(token)}
    where link_sha256 = ${tokenDigest(copied)} and expires_at > ${trx.clock.now()}
    returning team_id as team, email, role, invited_by as "invitedBy"`)
  return invitation && { ...invitation, token }
}

const validUntil = (now: Date) => new Date(now.getTime() + VALID_MS)

/** Whom it is to, and as what. It stays until the transaction ends. */
export async function lockInvitation(trx: Transaction, team: string, id: string) {
  const [row] = await trx.query<{ email: string; role: Role }>(sql`
    select email, role from invitations where team_id = ${team} and id = ${id} for update`)
  return row
}

export const deleteInvitation = (trx: Transaction, team: string, id: string) =>
  trx.query(sql.write`delete from invitations where team_id = ${team} and id = ${id}`)

/** Deletes some that ran out long ago, and returns whether there may be more. */
export async function deleteInvitationsBefore(db: Queryable, { moment, limit }: Expired): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from invitations where token_sha256 in (
      select token_sha256 from invitations where expires_at < ${moment} limit ${limit})
    returning id`)
  return rows.length === limit
}

/** What whoever has the token may know before they accept. */
export interface InvitationDescription {
  readonly team: { readonly id: string; readonly name: string }
  readonly role: Role
  /** Whom it was sent to. */
  readonly email: string
  /** They have an account, and sign in to it before they join. */
  readonly hasAccount: boolean
  /** The address of the one who invites. */
  readonly invitedBy: string | null
  /** The token was mailed to the address; a copied one proves nothing. */
  readonly isMailed: boolean
}

/** Says no more than that, whatever the reason is. */
export const noInvitation = () =>
  new Problem('not_found', 'This invitation was used, revoked or has expired. Ask for a new one.')

/** Null: there is no such invitation, or not any more. */
export async function describeInvitation(db: Queryable, token: string): Promise<InvitationDescription | null> {
  const [row] = await db.query<InvitationDescription>(sql`
    select json_build_object('id', t.id, 'name', t.name) as team, i.role, i.email, u.email as "invitedBy",
      exists (select from users o where lower(o.email) = lower(i.email)) as "hasAccount",
      i.token_sha256 = ${tokenDigest(token)} as "isMailed"
    from invitations i join ${LASTING_TEAMS} t on t.id = i.team_id left join users u on u.id = i.invited_by
    where ${hasToken(token)} and i.expires_at > ${db.clock.now()}`)
  return row ?? null
}

export interface Accepted {
  readonly userId: string
  readonly team: string
  readonly email: string
  readonly role: Role
}

/**
 * For new users: the mail proves that the address is theirs, so an account is made for it, which is in this one team. The mail lies in a
 * mailbox for seven days, so it does not sign in to an existing account: its owner signs in first. A copied link proves no address, and
 * makes an account only where no mail leaves, and so none could prove it.
 */
export async function acceptAsNewUser(
  trx: Transaction,
  token: string,
  { isMailKept }: { readonly isMailKept: boolean },
): Promise<Accepted> {
  const invitation = await takeInvitation(trx, token)
  if (!invitation.isMailed && !isMailKept)
    throw new Problem('invalid_permission', `Confirm that ${invitation.email} is your address before you join.`)
  const known = await findUser(trx, invitation.email)
  const made = known === undefined ? await ensureUser(trx, invitation.email) : null
  if (!made?.isNew)
    throw new Problem('invalid_permission', `${invitation.email} already has an account. Sign in to join.`)
  return join(trx, invitation, made.id)
}

/** For who has proven another way who they are. It is for the person with the address that it was sent to, and for nobody else. */
export async function acceptAsUser(trx: Transaction, token: string, userId: string): Promise<Accepted> {
  const invitation = await takeInvitation(trx, token)
  const own = await emailOf(trx, userId)
  if (own?.toLowerCase() !== invitation.email.toLowerCase())
    throw new Problem(
      'invalid_permission',
      `This invitation is for ${invitation.email}, and you are signed in as ${own}. Sign in as ${invitation.email}, or ask to be invited as ${own}.`,
    )
  return join(trx, invitation, userId)
}

/** The same for one that was found by its id, as one of those to their address. */
export async function acceptOwn(trx: Transaction, id: string, userId: string): Promise<Accepted> {
  const own = await emailOf(trx, userId)
  return join(trx, await take(trx, sql`i.id = ${id} and lower(i.email) = lower(${own ?? ''})`), userId)
}

/** Where the invitations are that somebody can accept: those to the address that they sign in with. */
export const openInvitationsTo = (userId: string, now: Date) => ({
  from: sql`users me join invitations i on lower(i.email) = lower(me.email) join ${LASTING_TEAMS} t on t.id = i.team_id
    left join users u on u.id = i.invited_by`,
  where: sql`me.id = ${userId} and i.expires_at > ${now}`,
  id: sql`i.id`,
})

interface Taken {
  readonly team: string
  readonly email: string
  readonly role: Role
}

const hasToken = (token: string): Sql =>
  sql`(i.token_sha256 = ${tokenDigest(token)} or i.link_sha256 = ${tokenDigest(token)})`

const takeInvitation = (trx: Transaction, token: string) =>
  take<{ isMailed: boolean }>(trx, hasToken(token), sql`, i.token_sha256 = ${tokenDigest(token)} as "isMailed"`)

/** Uses it up, if the transaction commits: of two at once the second one finds nothing. */
async function take<More = object>(trx: Transaction, wanted: Sql, more: Sql = sql``): Promise<Taken & More> {
  const [invitation] = await trx.query<Taken & More>(sql.write`
    delete from invitations i using ${LASTING_TEAMS} t
    where ${wanted} and i.expires_at > ${trx.clock.now()} and t.id = i.team_id
    returning i.team_id as team, i.email, i.role${more}`)
  if (!invitation) throw noInvitation()
  return invitation
}

async function join(trx: Transaction, { team, email, role }: Taken, userId: string): Promise<Accepted> {
  await addMember(trx, team, userId, role)
  return { userId, team, email, role }
}
