import type { Clock } from '../../platform/clock.ts'
import { FIRST_SANDBOX_ID, firstIdAt, firstSandboxIdAt } from '../../platform/ids.ts'
import type { Config } from '../../platform/settings/config.ts'
import type { Database } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { hours, type Job, job, minutes } from './job.ts'
import { deleteFailedJobsBefore } from './queries.ts'

const BATCH = 5_000

interface RetentionServices {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
}

/** A job that deletes what is past its time, which a team whose clock was moved can have done at once. */
export interface Retention extends Job<object, RetentionServices> {
  sweepTeam(services: RetentionServices, team: string): Promise<void>
}

/** What is to go: so many of those that are older than a moment. */
export interface Expired {
  readonly moment: Date
  readonly limit: number
  /** Set: of this team alone. */
  readonly team?: string | undefined
  /** Set: what the last batch has returned. */
  readonly since?: string | undefined
}

/** A job that deletes what is past its time, in batches, so that no statement takes long. Running twice deletes nothing more. */
export function retention(rule: {
  name: string
  keepSeconds(config: Config): number
  /** Deletes some, and returns whether there may be more; or from which team on, where it goes from team to team. */
  deleteBefore(db: Database, expired: Expired): Promise<boolean | string>
}): Retention {
  const sweep = async ({ db, clock, config }: RetentionServices, signal?: AbortSignal, team?: string) => {
    const now = team === undefined ? clock.now() : clock.of(team).now()
    const moment = new Date(now.getTime() - rule.keepSeconds(config) * 1_000)
    for (let next: boolean | string = true; next; signal?.throwIfAborted()) {
      const since: string | undefined = typeof next === 'string' ? next : undefined
      next = await rule.deleteBefore(db, { moment, limit: BATCH, team, since })
    }
  }
  return {
    ...job<object, RetentionServices>({
      name: rule.name,
      everySeconds: minutes(15),
      retryAfterSeconds: [],
      run: (_payload, { signal, ...services }) => sweep(services, signal),
    }),
    sweepTeam: (services, team) => sweep(services, undefined, team),
  }
}

/** For statements that delete what is old: of everybody, or of one team. */
export const ofTeam = (team: string | undefined): Sql => (team === undefined ? sql`` : sql`and team_id = ${team}`)

/**
 * The places (`at`) of rows of a table that were made before a moment, team by team. By its primary key, team and id, as ids are in the order of
 * time: an index by age would be written for each row. Keys are compared as a whole, which lets the planner expect many rows: of few it would gather and sort
 * all that a team has. Where ids are in real time and the team is not (`isInRealTime`), its own time counts, too. Rows of `owner.team_id` stay from the id `bound` on, and
 * a condition on a row `r` may follow.
 */
export const oldRows = (
  table: Sql,
  { moment, limit, team, since }: Expired,
  { bound, condition = sql``, isInRealTime = false }: { bound?: Sql; condition?: Sql; isInRealTime?: boolean } = {},
): Sql => {
  const first = isInRealTime ? sql`${firstIdAt(moment)}::uuid` : firstIdOf(sql`owner.team_id`, moment)
  return sql`
  select old.at from (
    with recursive owners (team_id) as (
      (select r.team_id from ${table} r where r.team_id >= ${since ?? FIRST_ID} ${ofTeam(team)} order by r.team_id limit 1)
      union all
      select next.team_id from owners cross join lateral (
        select r.team_id from ${table} r where r.team_id > owners.team_id ${ofTeam(team)} order by r.team_id limit 1) next)
    select team_id from owners) owner
  cross join lateral (
    select r.ctid as at from ${table} r
    where (r.team_id, r.id) >= (owner.team_id, ${FIRST_ID}::uuid) and (r.team_id, r.id) < (owner.team_id, ${bound ? sql`least(${first}, ${bound})` : first})
      and r.created_at < ${moment} ${condition}
    order by r.team_id, r.id limit ${limit}) old
  limit ${limit}`
}

/** The first id that a team in a statement can have made at a moment. */
export const firstIdOf = (team: Sql, moment: Date): Sql =>
  sql`case when is_sandbox(${team}) then ${firstSandboxIdAt(moment)} else ${firstIdAt(moment)} end::uuid`

/** Ids that were made before a moment, as conditions of which one holds: those of teams, and those of sandboxes. */
export const madeBefore = (id: Sql, moment: Date): readonly [Sql, Sql] => [
  sql`${id} < ${firstIdAt(moment)}`,
  sql`${id} >= ${FIRST_SANDBOX_ID} and ${id} < ${firstSandboxIdAt(moment)}`,
]

export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Where to go on after a batch of rows of these teams, or false: that was all. */
export const nextTeam = (rows: readonly { readonly team: string }[], limit: number): string | false =>
  rows.length >= limit &&
  (rows
    .map(({ team }) => team)
    .sort()
    .at(-1) ??
    false)

export const sweepFailedJobs = retention({
  name: 'jobs.sweep',
  keepSeconds: () => 30 * hours(24),
  deleteBefore: deleteFailedJobsBefore,
})
