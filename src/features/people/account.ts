import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'

/** Where the passkeys of somebody are. */
export const passkeysOf = (userId: string) => ({
  from: sql`passkeys p`,
  where: sql`p.user_id = ${userId}`,
  id: sql`p.id`,
})

/** Where the sessions of somebody are. */
export const sessionsOf = (userId: string, now: Date) => ({
  from: sql`user_sessions s`,
  where: sql`s.user_id = ${userId} and s.expires_at > ${now}`,
  id: sql`s.id`,
})

export interface AccountRow {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly is_operator: boolean
  readonly created_at: string
}

export async function findAccount(db: Queryable, userId: string): Promise<AccountRow | undefined> {
  const [account] = await db.query<AccountRow>(sql`
    select id, email, name, is_operator, wire_time(created_at) as created_at from users where id = ${userId}`)
  return account
}

export const renameUser = (db: Queryable, userId: string, name: string) =>
  db.query<{ id: string }>(sql.write`update users set name = ${name} where id = ${userId} returning id`)

/** Ends all sessions of somebody but one. */
export const deleteOtherSessions = (db: Queryable, userId: string, currentId: string) =>
  db.query(sql.write`delete from user_sessions where user_id = ${userId} and id <> ${currentId} returning 1 as deleted`)
