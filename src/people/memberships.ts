import { Problem } from '../http/problem.ts'
import type { Queryable, Transaction } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { Role } from './roles.ts'

/** What somebody is in a team. Nobody changes who owns it until the transaction ends. */
export async function lockRole(trx: Transaction, team: string, userId: string): Promise<Role | undefined> {
  // In one order, so that two owners who remove each other wait, and the second one finds a single owner left.
  await trx.query(sql`
    select user_id from memberships where team_id = ${team} and role = 'owner' order by user_id for update`)
  const [row] = await trx.query<{ role: Role }>(sql`
    select role from memberships where team_id = ${team} and user_id = ${userId} for update`)
  return row?.role
}

/** A team without an owner could never get one again. */
export async function requireAnotherOwner(trx: Transaction, team: string, userId: string) {
  const [other] = await trx.query(sql`
    select user_id from memberships where team_id = ${team} and role = 'owner' and user_id <> ${userId} limit 1`)
  if (!other)
    throw new Problem(
      'validation_error',
      'A team needs an owner, and this is the last one. Make somebody else one first.',
    )
}

export const updateRole = (trx: Transaction, team: string, userId: string, role: Role) =>
  trx.query(sql`update memberships set role = ${role} where team_id = ${team} and user_id = ${userId}`)

export const deleteMembership = (trx: Transaction, team: string, userId: string) =>
  trx.query(sql`delete from memberships where team_id = ${team} and user_id = ${userId}`)

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
