import { type Sql, sql } from '../../kernel/db/sql.ts'
import { rolesWith } from './roles.ts'

// What others read of people and their memberships, as a part of their statements.

export const USERS = sql`(select id, email, name from users)`
export const USER_EMAILS = sql`(select id, email from users)`
export const MEMBERSHIPS = sql`(select team_id, user_id, role from memberships)`
export const MEMBER_EMAILS = sql`(select m.team_id, u.email from memberships m join users u on u.id = m.user_id)`

/** Who operates the installation. */
export const OPERATOR_EMAILS = sql`(select id, email from users where is_operator)`

/** The address that somebody signs in with; null: there is nobody of this id. */
export const emailOfUser = (id: Sql): Sql => sql`(select u.email from users u where u.id = ${id})`

/** A query for the `team_id` of each team that somebody is in. */
export const teamsOfUser = (id: string): Sql => sql`select team_id from memberships where user_id = ${id}`

/** Whether somebody of a team may change things in it, and so approve mail that waits. */
export const hasApprovers = (team: string): Sql =>
  sql`exists (select from memberships m where m.team_id = ${team} and m.role = any (${[...rolesWith('write')]}::text[]))`

export const countMembers = (team: Sql): Sql => sql`(select count(*) from memberships m where m.team_id = ${team})`
