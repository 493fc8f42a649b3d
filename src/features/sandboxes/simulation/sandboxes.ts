import type { Queryable } from '../../../kernel/db/database.ts'
import { type Sql, sql } from '../../../kernel/db/sql.ts'

// Which teams are sandboxes, whose they are, and when they end. All times in here are real: a test that jumps a year ahead does not
// lose its sandbox by that.

export interface NewSandbox {
  /** The team that makes it. */
  readonly owner: string
  readonly id: string
  readonly name: string | null
  readonly seed: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/**
 * The part of a statement that writes a sandbox, unless its owner has as many as they may. It returns a row if it is written. Those that
 * are made in the same moment do not see each other, so there can be some more: what it keeps away is a loop that never ends.
 */
export const insertSandbox = (
  { owner, id, name, seed, createdAt, expiresAt }: NewSandbox,
  most: number,
): Sql => sql.write`
  insert into sandboxes (team_id, id, name, seed, created_at, expires_at)
  select ${owner}::uuid, ${id}::uuid, ${name}::text, ${seed}::text, ${createdAt}::timestamptz, ${expiresAt}::timestamptz
  where (select count(*) from (select from sandboxes where team_id = ${owner} limit ${most}) open) < ${most}
  returning id`

/** The sandbox, if it goes on and this team has made it. */
export async function isOpenSandbox(db: Queryable, owner: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`
    select id from sandboxes where team_id = ${owner} and id = ${id} and expires_at > ${db.clock.now()}`)
  return rows.length > 0
}

/** Ends a sandbox, for the team that made it or for itself. False: there is none. What is left of it is a team that nobody can reach. */
export async function closeSandbox(db: Queryable, team: string, id: string): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from sandboxes where id = ${id} and (team_id = ${team} or id = ${team}) returning id`)
  return rows.length > 0
}

/** Ends some whose time is over, and returns which. */
export const closeExpired = (db: Queryable, limit: number): Promise<string[]> =>
  closeSome(db, sql`expires_at <= ${db.clock.now()} order by expires_at`, limit)

/** Ends some that this team has made. */
export const closeSandboxesOf = (db: Queryable, owner: string, limit: number): Promise<string[]> =>
  closeSome(db, sql`team_id = ${owner}`, limit)

async function closeSome(db: Queryable, which: Sql, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql.write`
    delete from sandboxes where id in (select id from sandboxes where ${which} limit ${limit} for update skip locked)
    returning id`)
  return rows.map(({ id }) => id)
}
