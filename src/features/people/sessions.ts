import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { ActorOf } from '../../kernel/http/actor.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { newId } from '../../platform/ids.ts'
import { TEAM_NAMES, TEAM_PRIVACY } from '../teams/reads.ts'
import { permissionsOf, permissionsOutside, type Role } from './roles.ts'

/** How somebody has proven who they are. */
export type SignInMethod = 'passkey' | 'link' | 'oidc' | 'terminal'

export interface NewSession {
  readonly userId: string
  /** The team to begin with; null: any of theirs. */
  readonly team: string | null
  readonly method: SignInMethod
  readonly ipAddress: string | null
  readonly userAgent: string | null
}

/** A session that nobody uses for this long is over. */
const IDLE_MS = 14 * 86_400_000
/** How often a session that is used is written down as such. */
const TOUCH_MS = 5 * 60_000

export async function insertUserSession(db: Queryable, session: NewSession): Promise<string> {
  const { userId, team, method, ipAddress, userAgent } = session
  const now = db.clock.now()
  const id = newId(db.clock)
  await db.query(sql.write`
    with over as (delete from user_sessions where user_id = ${userId} and expires_at <= ${now}),
      seen as (update users set last_signed_in_at = ${now} where id = ${userId})
    insert into user_sessions
      (id, user_id, team_id, method, verified_at, ip_address, user_agent, created_at, last_seen_at, expires_at)
    values (${id}, ${userId}, ${team}, ${method}, ${now}, ${ipAddress}, ${userAgent?.slice(0, 500) ?? null}, ${now}, ${now},
      ${new Date(now.getTime() + IDLE_MS)})`)
  return id
}

export const deleteUserSession = (db: Queryable, userId: string, id: string) =>
  db.query<{ id: string }>(sql.write`delete from user_sessions where user_id = ${userId} and id = ${id} returning id`)

/** The team to begin with from now on. False: it is none of theirs. */
export async function updateChosenTeam(
  db: Queryable,
  { id, session }: ActorOf<'user'>['identity'],
  team: string,
): Promise<boolean> {
  const rows = await db.query(sql.write`
    update user_sessions s set team_id = m.team_id from memberships m
    where s.id = ${session.id} and m.user_id = ${id} and m.team_id = ${team} returning s.id`)
  return rows.length > 0
}

interface Found {
  readonly userId: string
  readonly email: string
  readonly isOperator: boolean
  readonly verifiedAt: Date
  readonly lastSeenAt: Date
  readonly team: string | null
  readonly role: Role | null
  readonly hidesContent: boolean | null
}

/**
 * Who is signed in, as a member of the team that the request names, or else of the one that was chosen last. Somebody without a team
 * acts in one of their own in which there is nothing: its id is theirs.
 */
export async function findUserSession(db: Queryable, id: string, team: string | null): Promise<ActorOf<'user'> | null> {
  const now = db.clock.now()
  const [found] = await db.query<Found>(sql`
    select s.user_id as "userId", u.email, u.is_operator as "isOperator", s.verified_at as "verifiedAt", s.last_seen_at as "lastSeenAt",
      m.team_id as team, m.role, m.hides_content as "hidesContent"
    from user_sessions s join users u on u.id = s.user_id
    left join lateral (
      select m.team_id, m.role, t.hides_content
      from memberships m join ${TEAM_PRIVACY} t on t.id = m.team_id
      where m.user_id = s.user_id and (${team}::uuid is null or m.team_id = ${team})
      order by m.team_id is not distinct from s.team_id desc, m.team_id
      limit 1) m on true
    where s.id = ${id} and s.expires_at > ${now}`)
  if (!found) return null
  if (now.getTime() - found.lastSeenAt.getTime() > TOUCH_MS) await touchSession(db, id, now)
  const { userId, isOperator, verifiedAt, role, hidesContent } = found
  if (team !== null && found.team === null)
    throw new Problem('invalid_permission', 'You are not a member of this team.')
  return {
    team: found.team ?? userId,
    identity: { kind: 'user', id: userId, session: { id, verifiedAt } },
    name: found.email,
    permissions: role
      ? permissionsOf({ role, hidesContent: hidesContent!, isOperator })
      : permissionsOutside({ isOperator }),
    domainId: null,
  }
}

const touchSession = (db: Queryable, id: string, now: Date) =>
  db.query(sql.write`
    update user_sessions set last_seen_at = ${now}, expires_at = ${new Date(now.getTime() + IDLE_MS)} where id = ${id}`)

/** What the dashboard shows about who is signed in. */
export async function describeUserSession(db: Queryable, id: string) {
  const [session] = await db.query<{
    id: string
    email: string
    name: string
    isOperator: boolean
    expiresAt: Date
    verifiedAt: Date
    teams: readonly { id: string; name: string; role: Role }[]
  }>(sql`
    select u.id, u.email, u.name, u.is_operator as "isOperator", s.expires_at as "expiresAt", s.verified_at as "verifiedAt",
      coalesce((
        select json_agg(json_build_object('id', t.id, 'name', t.name, 'role', m.role) order by t.name)
        from memberships m join ${TEAM_NAMES} t on t.id = m.team_id where m.user_id = u.id), '[]') as teams
    from user_sessions s join users u on u.id = s.user_id where s.id = ${id}`)
  return session
}
