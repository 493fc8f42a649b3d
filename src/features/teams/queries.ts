import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { raw, type Sql, sql } from '../../kernel/db/sql.ts'
import { columnsOf, columnValues, undatedAssignments } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { isId, newId } from '../../platform/ids.ts'
import { countKeys } from '../api-keys/reads.ts'
import { countMembers, MEMBERSHIPS } from '../people/reads.ts'
import { SANDBOXES } from '../sandboxes/reads.ts'
import { IS_OF_PEOPLE } from './reads.ts'
import { OwnTeam, TeamItem, UpdateTeam } from './schema.ts'

/** The team with this name, made when it does not exist yet. */
export async function ensureTeam(db: Queryable, name: string): Promise<{ id: string; isNew: boolean }> {
  const [team] = await db.query<{ id: string; isNew: boolean }>(sql.write`
    insert into teams (id, name, created_at) values (${newId(db.clock)}, ${name}, ${db.clock.now()})
    on conflict (name) do update set name = excluded.name
    returning id, xmax = 0 as "isNew"`)
  return team!
}

/** Nothing when there is a team with this name. */
export async function insertTeam(db: Queryable, name: string): Promise<string | undefined> {
  const [team] = await db.query<{ id: string }>(sql.write`
    insert into teams (id, name, created_at) values (${newId(db.clock)}, ${name}, ${db.clock.now()})
    on conflict (name) do nothing returning id`)
  return team?.id
}

/** By its name, or by its id, which lists of teams show as well. */
export async function findTeam(db: Queryable, nameOrId: string): Promise<string | undefined> {
  const id = isId(nameOrId) ? nameOrId : null
  const [team] = await db.query<{ id: string }>(sql`
    select id from teams where (name = ${nameOrId} or id = ${id}::uuid) and not is_sandbox order by name = ${nameOrId} desc limit 1`)
  return team?.id
}

/**
 * The part of a statement that writes the team of a sandbox, if `condition` holds. It has no people, only its key. The share lock makes
 * it wait for a suspension of its owner that is about to commit, and the other way round: `suspendWithOwner` misses none.
 */
export const insertSandboxTeam = (owner: string, sandbox: string, createdAt: Date, condition: Sql): Sql => sql.write`
  insert into teams (id, name, is_sandbox, created_at, suspended_at, suspended_reason)
  select ${sandbox}::uuid, ${`Sandbox ${sandbox}`}::text, true, ${createdAt}::timestamptz,
    coalesce(owner.suspended_at, case when owner.delete_at is not null then ${createdAt}::timestamptz end), owner.suspended_reason
  from (select suspended_at, suspended_reason, delete_at from teams where id = ${owner} for share) owner where ${condition}`

/** Suspends a team, or lifts that. One that is suspended stays so since then. False: there is no such team. */
export async function setSuspension(
  db: Queryable,
  team: string,
  suspension: { reason: string } | null,
): Promise<boolean> {
  const rows = await db.query(sql.write`
    update teams set suspended_reason = ${suspension?.reason ?? null},
      suspended_at = ${suspension ? sql`coalesce(suspended_at, ${db.clock.now()})` : sql`null`}
    where id = ${team} and ${IS_OF_PEOPLE} returning id`)
  await suspendWithOwner(db, team)
  return rows.length > 0
}

/**
 * The sandboxes of a team can do as little as the team: they are suspended while it is, or while it is about to be deleted. In the
 * transaction of that, behind it.
 */
export async function suspendWithOwner(trx: Queryable, owner: string): Promise<void> {
  await trx.query(sql.write`
    update teams t set suspended_reason = owner.suspended_reason,
      suspended_at = coalesce(owner.suspended_at, case when owner.delete_at is not null then ${trx.clock.now()}::timestamptz end)
    from ${SANDBOXES} s join teams owner on owner.id = s.team_id
    where s.team_id = ${owner} and t.id = s.id`)
}

/** The team of what the installation itself sends. Made when it is first asked for. */
export async function ensureSystemTeam(db: Queryable): Promise<string> {
  const [team] = await db.query<{ id: string }>(sql.write`
    insert into teams (id, name, is_system, created_at) values (${newId(db.clock)}, ${SYSTEM_TEAM}, true, ${db.clock.now()})
    on conflict (is_system) where is_system do update set is_system = true
    returning id`)
  return team!.id
}

/** No team of people has a name with a control character in it, so none is in the way. */
const SYSTEM_TEAM = '\x01system'

const COLUMNS = columnsOf(TeamItem, 't')
const OWN_COLUMNS = columnsOf(OwnTeam, 't', { role: raw('m.role') })

/** The teams of a person. */
export const ownTeamRows = (userId: string): Rows => ({
  columns: OWN_COLUMNS,
  from: sql`${MEMBERSHIPS} m join teams t on t.id = m.team_id`,
  where: sql`m.user_id = ${userId}`,
  id: sql`m.team_id`,
})

export async function readTeam(db: Queryable, team: string): Promise<Static<typeof TeamItem> | undefined> {
  const [row] = await db.query<Static<typeof TeamItem>>(sql`select ${COLUMNS} from teams t where t.id = ${team}`)
  return row
}

export async function isNameTaken(db: Queryable, team: string, name: string): Promise<boolean> {
  const rows = await db.query(sql`select id from teams where name = ${name} and id <> ${team}`)
  return rows.length > 0
}

export const updateTeam = (db: Queryable, team: string, changes: Static<typeof UpdateTeam>) =>
  db.query(sql.write`update teams set ${undatedAssignments(columnValues(UpdateTeam, changes))} where id = ${team}`)

/** A team as whoever runs the installation sees it in a list. */
export interface InstalledTeam extends Static<typeof TeamItem> {
  readonly members: number
  readonly api_keys: number
}

/** All but the one of the installation itself, and sandboxes. */
export const listTeams = (db: Queryable) =>
  db.query<InstalledTeam>(sql`
    select ${COLUMNS},
      ${countMembers(raw('t.id'))}::int as members,
      ${countKeys(raw('t.id'))}::int as api_keys
    from teams t where ${IS_OF_PEOPLE} order by t.name`)
