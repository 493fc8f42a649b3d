import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { newId } from '../../platform/ids.ts'
import type { Role } from './roles.ts'

/** The person with this address, made when there is none. */
export async function ensureUser(db: Queryable, email: string): Promise<{ id: string; isNew: boolean }> {
  const [user] = await db.query<{ id: string; isNew: boolean }>(sql.write`
    insert into users (id, email, created_at) values (${newId(db.clock)}, ${email}, ${db.clock.now()})
    on conflict (lower(email)) do update set email = users.email
    returning id, xmax = 0 as "isNew"`)
  return user!
}

export async function findUser(db: Queryable, email: string): Promise<string | undefined> {
  const [user] = await db.query<{ id: string }>(sql`select id from users where lower(email) = lower(${email})`)
  return user?.id
}

/** Makes somebody a member. Who is one already keeps the role. Returns whether they were none. */
export async function addMember(db: Queryable, team: string, userId: string, role: Role): Promise<boolean> {
  const rows = await db.query(sql.write`
    insert into memberships (team_id, user_id, role, created_at) values (${team}, ${userId}, ${role}, ${db.clock.now()})
    on conflict do nothing returning user_id`)
  return rows.length > 0
}

export const makeOperator = (db: Queryable, userId: string) =>
  db.query(sql.write`update users set is_operator = true where id = ${userId}`)

/** Somebody has to see all teams: the first one who is let in by the command, unless there is somebody already. */
export const makeFirstOperator = (db: Queryable, userId: string) =>
  db.query(sql.write`
    update users set is_operator = true where id = ${userId} and not exists (select from users where is_operator)`)
