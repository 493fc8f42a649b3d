import { randomBytes } from 'node:crypto'
import { tokenDigest } from '../http/auth.ts'
import { Problem } from '../http/problem.ts'
import type { Queryable, Transaction } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import type { Role } from './roles.ts'
import { addMember, ensureUser } from './users.ts'

/** How long somebody may take to accept. */
const VALID_MS = 7 * 86_400_000
/** Of one team that are open. Each was a mail to somebody who has not asked for it. */
const MAX_OPEN = 100

/** Nobody but the one who gets the mail ever sees it: whoever has it is taken for the owner of the address. */
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
  // Those who invite at the same time wait here for each other, so that they count what the others have written.
  await trx.query(sql`select id from teams where id = ${team} for no key update`)
  await trx.query(sql`
    delete from invitations where team_id = ${team} and lower(email) = lower(${email}) and expires_at <= ${now}`)
  const [state] = await trx.query<{ isMember: boolean; isInvited: boolean; open: number }>(sql`
    select exists (
        select from memberships m join users u on u.id = m.user_id
        where m.team_id = ${team} and lower(u.email) = lower(${email})) as "isMember",
      exists (select from invitations where team_id = ${team} and lower(email) = lower(${email})) as "isInvited",
      (select count(*) from invitations where team_id = ${team} and expires_at > ${now})::int as open`)
  if (state!.isMember) throw new Problem('validation_error', 'This person is a member of the team already.')
  if (state!.isInvited) throw new Problem('validation_error', 'This person is invited already. Send it again instead.')
  if (state!.open >= MAX_OPEN)
    throw new Problem('quota_exceeded', `A team can have up to ${MAX_OPEN} open invitations. Remove some first.`)
  const [id, token] = [newId(trx.clock), newInvitationToken()]
  await trx.query(sql`
    insert into invitations (team_id, id, email, role, token_sha256, invited_by, created_at, expires_at)
    values (${team}, ${id}, ${email}, ${role}, ${tokenDigest(token)}, ${invitedBy}, ${now}, ${validUntil(now)})`)
  return { id, token }
}

/** Makes a new token for an invitation: the one in the mail that was sent before is good for nothing then. */
export async function renewInvitation(trx: Transaction, team: string, id: string): Promise<string> {
  const token = newInvitationToken()
  await trx.query(sql`
    update invitations set token_sha256 = ${tokenDigest(token)}, expires_at = ${validUntil(trx.clock.now())}
    where team_id = ${team} and id = ${id}`)
  return token
}

const validUntil = (now: Date) => new Date(now.getTime() + VALID_MS)

/** Whom it is to, and as what. It stays until the transaction ends. */
export async function lockInvitation(trx: Transaction, team: string, id: string) {
  const [row] = await trx.query<{ email: string; role: Role }>(sql`
    select email, role from invitations where team_id = ${team} and id = ${id} for update`)
  return row
}

export const deleteInvitation = (trx: Transaction, team: string, id: string) =>
  trx.query(sql`delete from invitations where team_id = ${team} and id = ${id}`)

/** Deletes some that ran out long ago, and tells whether there may be more. */
export async function deleteInvitationsBefore(db: Queryable, moment: Date, limit: number): Promise<boolean> {
  const rows = await db.query(sql`
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
  /** The address of the one who invites; null: they are gone. */
  readonly invitedBy: string | null
}

/** Says no more than that, whatever the reason is. */
export const noInvitation = () =>
  new Problem('not_found', 'This invitation was used before, or it has run out. Ask for another one.')

/** Null: there is no such invitation, or not any more. */
export async function describeInvitation(db: Queryable, token: string): Promise<InvitationDescription | null> {
  const [row] = await db.query<InvitationDescription>(sql`
    select json_build_object('id', t.id, 'name', t.name) as team, i.role, i.email, u.email as "invitedBy"
    from invitations i join teams t on t.id = i.team_id left join users u on u.id = i.invited_by
    where i.token_sha256 = ${tokenDigest(token)} and i.expires_at > ${db.clock.now()} and t.delete_at is null`)
  return row ?? null
}

export interface Accepted {
  readonly userId: string
  readonly team: string
  readonly email: string
  readonly role: Role
  /** There was nobody with this address before. */
  readonly isNew: boolean
}

/**
 * Makes somebody a member, once. Without a `userId` it is the person with the address that the mail went to, made when there is none:
 * having the token proves that the address is theirs. Somebody who is signed in joins as who they are.
 */
export async function acceptInvitation(trx: Transaction, token: string, userId?: string): Promise<Accepted> {
  const [invitation] = await trx.query<{ team: string; email: string; role: Role }>(sql`
    delete from invitations i using teams t
    where i.token_sha256 = ${tokenDigest(token)} and i.expires_at > ${trx.clock.now()}
      and t.id = i.team_id and t.delete_at is null
    returning i.team_id as team, i.email, i.role`)
  if (!invitation) throw noInvitation()
  const { team, email, role } = invitation
  const user = userId === undefined ? await ensureUser(trx, email) : { id: userId, isNew: false }
  await addMember(trx, team, user.id, role)
  return { userId: user.id, team, email, role, isNew: user.isNew }
}
