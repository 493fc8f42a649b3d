import { API_KEYS } from '../../features/api-keys/reads.ts'
import { hasPolicy } from '../../features/policies/reads.ts'
import { TEAM_NAMES } from '../../features/teams/reads.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { FULL_ACCESS, guardedPermissions } from '../../kernel/http/access.ts'
import type { ActorOf } from '../../kernel/http/actor.ts'
import { eventsOf } from '../../kernel/outbox/events.ts'
import { newId } from '../../platform/ids.ts'

/** Also clears away those of the team that are over: a team signs in a few times a day, so that is often enough. */
export async function insertSession(
  db: Queryable,
  { team, keyId }: { readonly team: string; readonly keyId: string },
  now: Date,
  expiresAt: Date,
): Promise<string> {
  const [session] = await db.query<{ id: string }>(sql.write`
    with over as (delete from sessions where team_id = ${team} and expires_at <= ${now})
    insert into sessions (team_id, id, key_id, created_at, expires_at)
    values (${team}, ${newId(db.clock, now)}, ${keyId}, ${now}, ${expiresAt}) returning id`)
  return session!.id
}

export const deleteSession = (db: Queryable, team: string, id: string) =>
  db.query(sql.write`delete from sessions where team_id = ${team} and id = ${id}`)

/** The session, as long as its key may do everything. */
export async function findSession(
  db: Queryable,
  team: string,
  id: string,
  now: Date,
): Promise<ActorOf<'session'> | null> {
  const [key] = await db.query<{ keyId: string; name: string; domainId: string | null; isGuarded: boolean }>(sql`
    select k.id as "keyId", k.name, k.domain_id as "domainId", ${hasPolicy(sql`k.team_id`, sql`k.id`)} as "isGuarded"
    from sessions s join ${API_KEYS} k on k.team_id = s.team_id and k.id = s.key_id
    where s.team_id = ${team} and s.id = ${id} and s.expires_at > ${now} and k.permission = 'full_access'
      and (k.expires_at is null or k.expires_at > ${db.clock.of(team).now()})`)
  if (!key) return null
  const { keyId, name, domainId, isGuarded } = key
  return {
    ...{ team, identity: { kind: 'session', id, keyId }, name, domainId, policyId: isGuarded ? keyId : null },
    permissions: isGuarded ? guardedPermissions(FULL_ACCESS) : FULL_ACCESS,
  }
}

/** What the dashboard shows about whoever is signed in with a key. */
export async function describeSession(db: Queryable, team: string, id: string) {
  const [session] = await db.query<{ team: string; keyId: string; keyName: string; expiresAt: Date }>(sql`
    select t.name as team, k.id as "keyId", k.name as "keyName", s.expires_at as "expiresAt"
    from sessions s join ${TEAM_NAMES} t on t.id = s.team_id
    join ${API_KEYS} k on k.team_id = s.team_id and k.id = s.key_id
    where s.team_id = ${team} and s.id = ${id}`)
  return session
}

/** Something that happened, as the dashboard needs to know it: what to look at again. */
export interface LiveEvent {
  readonly id: string
  readonly type: string
  /** The email, contact, domain … */
  readonly about: string | null
}

export const eventsAfter = (db: Queryable, team: string, id: string, limit: number) =>
  db.query<LiveEvent>(sql`
    select id, type, coalesce(about::text, data->>'id') as about from ${eventsOf(team)}
      and o.id > ${id} order by id limit ${limit}`)
