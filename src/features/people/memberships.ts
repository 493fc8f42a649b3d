import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { type Role, rolesInvitedBy } from './roles.ts'

/** What somebody is in a team. Nobody changes who owns it until the transaction ends. */
export async function lockRole(trx: Transaction, team: string, userId: string): Promise<Role | undefined> {
  // In one order, so that two owners who remove each other wait, and the second one finds a single owner left.
  await trx.query(sql`
    select user_id from memberships where team_id = ${team} and role = 'owner' order by user_id for update`)
  const [row] = await trx.query<{ role: Role }>(sql`
    select role from memberships where team_id = ${team} and user_id = ${userId} for update`)
  return row?.role
}

/** Whether somebody is in the team, and stays so until the transaction ends. */
export async function lockMembership(trx: Queryable, team: string, userId: string): Promise<boolean> {
  const rows = await trx.query(sql`
    select from memberships where team_id = ${team} and user_id = ${userId} for key share`)
  return rows.length > 0
}

/** How a member of the team is addressed, in whatever case somebody wrote it. */
export async function findMemberEmail(db: Queryable, team: string, email: string): Promise<string | undefined> {
  const [member] = await db.query<{ email: string }>(sql`
    select u.email from users u join memberships m on m.user_id = u.id and m.team_id = ${team}
    where lower(u.email) = lower(${email})`)
  return member?.email
}

/** A team without an owner could never get one again. */
export async function requireAnotherOwner(trx: Transaction, team: string, userId: string) {
  const [other] = await trx.query(sql`
    select user_id from memberships where team_id = ${team} and role = 'owner' and user_id <> ${userId} limit 1`)
  if (!other)
    throw new Problem('validation_error', 'This is the last owner of the team. Make another member an owner first.')
}

/** Invitations of theirs to more than they may give from now on end with it. */
export async function updateRole(trx: Transaction, team: string, userId: string, role: Role) {
  await trx.query(sql.write`update memberships set role = ${role} where team_id = ${team} and user_id = ${userId}`)
  await endInvitationsBy(trx, team, userId, role)
}

/** Their invitations end with it: one to another address of theirs would bring them back. */
export async function deleteMembership(trx: Transaction, team: string, userId: string) {
  await trx.query(sql.write`delete from memberships where team_id = ${team} and user_id = ${userId}`)
  await endInvitationsBy(trx, team, userId, undefined)
}

const endInvitationsBy = (trx: Transaction, team: string, userId: string, role: Role | undefined) =>
  trx.query(sql.write`
    delete from invitations
    where team_id = ${team} and invited_by = ${userId} and role <> all (${rolesInvitedBy(role)}::text[])`)

/**
 * Refuses whoever may not invite to this role any more. Those who do may until the transaction ends: whoever takes that from them waits,
 * and then finds the invitation.
 */
export async function lockInviter(trx: Transaction, team: string, userId: string, invited: Role) {
  const [row] = await trx.query<{ role: Role }>(sql`
    select role from memberships where team_id = ${team} and user_id = ${userId} for share`)
  if (!rolesInvitedBy(row?.role).includes(invited))
    throw new Problem('invalid_permission', 'Your role in this team does not allow this.')
}

/** Of how many teams somebody is an owner. They make no other one until the transaction ends. */
export async function countOwned(trx: Transaction, userId: string): Promise<number> {
  await trx.query(sql`select id from users where id = ${userId} for update`)
  const [row] = await trx.query<{ teams: number }>(sql`
    select count(*)::int as teams from memberships where user_id = ${userId} and role = 'owner'`)
  return row!.teams
}

/** The address that somebody signs in with. */
export async function emailOf(db: Queryable, userId: string): Promise<string | undefined> {
  const [row] = await db.query<{ email: string }>(sql`select email from users where id = ${userId}`)
  return row?.email
}
