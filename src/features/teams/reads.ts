import type { Queryable } from '../../kernel/db/database.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'

// What others read of teams, as a part of their statements. PostgreSQL pulls such a subquery up: a join costs what one with the table does.

export const TEAM_IDS = sql`(select id from teams)`
export const TEAM_NAMES = sql`(select id, name, is_system, is_sandbox from teams)`
export const TEAM_PRIVACY = sql`(select id, hides_content from teams)`
/** Those that nobody is about to delete. */
export const LASTING_TEAMS = sql`(select id, name from teams where delete_at is null)`
/** Nothing is done for a team that is suspended or about to be deleted. */
export const TEAM_STATES = sql`(select id, suspended_at is not null or delete_at is not null as is_stopped from teams)`

/** Neither what the installation itself sends as, nor a sandbox. */
export const IS_OF_PEOPLE = sql`not is_system and not is_sandbox`

/** As operators see them. */
export const TEAMS_OF_PEOPLE = sql`(
  select id, name, created_at, suspended_at, suspended_reason, delete_at from teams where ${IS_OF_PEOPLE})`

/** By an index each. A sandbox that ends is not suspended for that: its team goes at once. */
export const STOPPED_TEAMS = sql`(
  select id, suspended_reason, delete_at from teams where suspended_at is not null
  union
  select id, suspended_reason, delete_at from teams where delete_at is not null and not is_sandbox)`

/** Which of the teams are stopped. The share lock lets nobody change that before the transaction ends. */
export const lockStoppedTeams = (teams: readonly string[]): Sql => sql`
  select id from teams
  where id = any (${teams}::uuid[]) and (suspended_at is not null or delete_at is not null)
  order by id for share`

/** By their ids. */
export async function findTeamNames(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const teams = await db.query<{ id: string; name: string }>(sql`
    select id, name from teams where id = any (${ids}::uuid[])`)
  return new Map(teams.map(({ id, name }) => [id, name]))
}

/** Those who lock a team wait for each other until their transactions end; whoever only refers to it does not. */
export const lockTeam = (trx: Queryable, team: string) =>
  trx.query(sql`select id from teams where id = ${team} for no key update`)

/** What recipients see of it. */
export interface Branding {
  readonly name: string
  readonly accentColor: string | null
  readonly logoImageId: string | null
}

export async function findBranding(db: Queryable, id: string): Promise<Branding> {
  const [team] = await db.query<Branding>(sql`
    select name, accent_color as "accentColor", logo_image_id as "logoImageId" from teams where id = ${id}`)
  return team ?? { name: '', accentColor: null, logoImageId: null }
}

/** Whether an image is the logo of its team. */
export const isLogo = (team: string, image: string): Sql => sql`exists (
  select from teams where id = ${team} and logo_image_id = ${image})`

/** The team that was there first: on a laptop it is the only one. */
export async function findFirstTeam(db: Queryable): Promise<string | undefined> {
  const [team] = await db.query<{ id: string }>(sql`select id from teams where ${IS_OF_PEOPLE} order by id limit 1`)
  return team?.id
}

/** By its name, or the first one, among those that nobody is about to delete. */
export async function findLastingTeam(db: Queryable, name: string | undefined): Promise<string | undefined> {
  const [team] = await db.query<{ id: string }>(sql`
    select id from teams where ${IS_OF_PEOPLE} and delete_at is null and (${name ?? null}::text is null or name = ${name ?? null})
    order by id limit 1`)
  return team?.id
}
