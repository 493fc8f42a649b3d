import type { Caller } from '../http/auth.ts'
import type { Queryable } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'

/** Also clears away those of the team that are over: a team signs in a few times a day, so that is often enough. */
export async function insertSession(db: Queryable, caller: Caller, now: Date, expiresAt: Date): Promise<string> {
  const [session] = await db.query<{ id: string }>(sql`
    with over as (delete from sessions where team_id = ${caller.team} and expires_at <= ${now})
    insert into sessions (team_id, id, key_id, created_at, expires_at)
    values (${caller.team}, ${newId()}, ${caller.keyId}, ${now}, ${expiresAt}) returning id`)
  return session!.id
}

export const deleteSession = (db: Queryable, team: string, id: string) =>
  db.query(sql`delete from sessions where team_id = ${team} and id = ${id}`)

/** The session with what its key may do now. */
export async function findSession(db: Queryable, team: string, id: string, now: Date): Promise<Caller | null> {
  const [caller] = await db.query<Caller>(sql`
    select s.id as "sessionId", k.id as "keyId", k.team_id as team, k.permission, k.domain_id as "domainId"
    from sessions s join api_keys k on k.team_id = s.team_id and k.id = s.key_id
    where s.team_id = ${team} and s.id = ${id} and s.expires_at > ${now} and k.permission = 'full_access'`)
  return caller ?? null
}

/** What the dashboard shows about who is signed in. */
export async function describeSession(db: Queryable, team: string, id: string) {
  const [session] = await db.query<{ team: string; keyId: string; keyName: string; expiresAt: Date }>(sql`
    select t.name as team, k.id as "keyId", k.name as "keyName", s.expires_at as "expiresAt"
    from sessions s join teams t on t.id = s.team_id
    join api_keys k on k.team_id = s.team_id and k.id = s.key_id
    where s.team_id = ${team} and s.id = ${id}`)
  return session
}

/** The oldest key with full access: on a laptop the one that the first start made. */
export async function findFirstKey(db: Queryable): Promise<Caller | null> {
  const [caller] = await db.query<Caller>(sql`
    select id as "keyId", team_id as team, permission, domain_id as "domainId"
    from api_keys where permission = 'full_access' order by id limit 1`)
  return caller ?? null
}

/** Something that happened, as the dashboard needs to know it: what to look at again. */
export interface Happening {
  readonly id: string
  readonly type: string
  /** The email, contact, domain … */
  readonly about: string | null
}

export const happeningsAfter = (db: Queryable, team: string, id: string, limit: number) =>
  db.query<Happening>(sql`
    select id, type, coalesce(about::text, data->>'id') as about from outbox
    where team_id = ${team} and id > ${id} order by id limit ${limit}`)
