import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { TEAM_NAMES } from '../teams/reads.ts'
import type { Role } from './roles.ts'

/** Somebody, as the operator sees them. */
export interface ListedUser {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly is_operator: boolean
  readonly teams: readonly { readonly id: string; readonly name: string; readonly role: Role }[]
  readonly passkeys: number
  readonly created_at: string
  readonly last_signed_in_at: string | null
}

/** All people of the installation. */
export const listUsers = (db: Queryable): Promise<ListedUser[]> =>
  db.query<ListedUser>(sql`
    select u.id, u.email, u.name, u.is_operator,
      coalesce((
        select json_agg(json_build_object('id', t.id, 'name', t.name, 'role', m.role) order by t.name)
        from memberships m join ${TEAM_NAMES} t on t.id = m.team_id where m.user_id = u.id), '[]') as teams,
      (select count(*)::int from passkeys p where p.user_id = u.id) as passkeys,
      wire_time(u.created_at) as created_at, wire_time(u.last_signed_in_at) as last_signed_in_at
    from users u order by lower(u.email)`)

export interface RemovedUser {
  readonly id: string
  readonly email: string
  readonly teams: readonly { readonly id: string; readonly name: string }[]
  /** The names of teams that have no owner now. */
  readonly left: readonly string[]
}

/** Deletes somebody and all that is theirs; sessions and memberships go with the row. Undefined: there is nobody of this address. */
export async function removeUser(trx: Transaction, email: string): Promise<RemovedUser | undefined> {
  const [user] = await trx.query<{ id: string; email: string }>(sql`
    select id, email from users where lower(email) = lower(${email}) for update`)
  if (!user) return undefined
  // In one order, so that nobody else stops being an owner meanwhile.
  await trx.query(sql`
    select user_id from memberships where role = 'owner' and team_id in (
      select team_id from memberships where user_id = ${user.id}) order by team_id, user_id for update`)
  const teams = await trx.query<{ id: string; name: string; isLeft: boolean }>(sql`
    select t.id, t.name, m.role = 'owner' and not exists (
      select from memberships o where o.team_id = t.id and o.role = 'owner' and o.user_id <> ${user.id}) as "isLeft"
    from memberships m join ${TEAM_NAMES} t on t.id = m.team_id where m.user_id = ${user.id} order by t.name`)
  await trx.query(sql.write`delete from sign_in_links where email = ${user.email}`)
  await trx.query(sql.write`delete from users where id = ${user.id}`)
  return { ...user, teams, left: teams.filter(({ isLeft }) => isLeft).map(({ name }) => name) }
}
