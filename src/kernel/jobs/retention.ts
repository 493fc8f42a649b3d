import type { RetentionKind } from '../../mail/retention-kinds.ts'
import type { Clock } from '../../platform/clock.ts'
import { FIRST_SANDBOX_ID, firstIdAt, firstSandboxIdAt } from '../../platform/ids.ts'
import type { Config } from '../../platform/settings/config.ts'
import { installationRetention } from '../../platform/settings/retention.ts'
import type { Database } from '../db/database.ts'
import { rowsOf } from '../db/rows.ts'
import { join, type Sql, sql } from '../db/sql.ts'
import { hasNoOwnPeriod, listOwnPeriods, readPeriods } from '../retention/team-periods.ts'
import { hours, type Job, job, minutes } from './job.ts'
import { deleteFailedJobsBefore, writeRecurringPayload } from './queries.ts'

const BATCH = 5_000
/** How often old rows are looked for from team to team. With 100,000 teams a table is 400,000 pages, which is too much for every quarter of an hour. */
const SWEEP_ALL_SECONDS = hours(6)
/** Old rows that are looked at together, when they are found by their age. As many as are deleted together, so that they are found only once. */
const MAX_AGED = BATCH
/** Teams with periods of their own that are looked at in one statement. */
const TEAMS = 1_000

interface RetentionServices {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
}

/** What such a job remembers from one run to the next. */
interface Progress {
  /** When it has last looked for old rows of all teams, where it goes from team to team. */
  readonly sweptAllAt?: string
}

/** A job that deletes what is past its time, which a team whose clock was moved can have done at once. */
export interface Retention extends Job<Progress, RetentionServices> {
  sweepTeam(services: RetentionServices, team: string): Promise<void>
}

/** Ids from one to before another. Null: without an end on that side. */
export interface IdRange {
  readonly from: string | null
  readonly to: string | null
}

/** What is to go: so many of those that are older than a moment. */
export interface Expired {
  readonly moment: Date
  readonly limit: number
  /** Set: of this team alone. */
  readonly team?: string | undefined
  /** Set: what the last batch has returned. */
  readonly since?: string | undefined
  /** Set: teams with periods of their own for this kind are left out. */
  readonly kind?: RetentionKind | undefined
  /** Set: of ids in this range alone. */
  readonly range?: IdRange | undefined
  /** Set: of these teams alone, each with a moment of its own. */
  readonly own?: readonly { readonly team: string; readonly moment: Date }[] | undefined
}

interface Rule {
  readonly name: string
  /** Set: where rows are looked for, but for teams with periods of their own. One range after the other, so that each is one partition. */
  ranges?(db: Database, moment: Date, config: Config): Promise<readonly IdRange[]>
  /** Deletes some, and returns whether there may be more; or from which team on, where it goes from team to team. */
  deleteBefore(db: Database, expired: Expired): Promise<boolean | string>
}

/**
 * A job that deletes what is past its time, in batches, so that no statement takes long. Running twice deletes nothing more. Of a `kind` the
 * settings say how long it is kept, and a team may have a period of its own: `deleteBefore` is asked for all others first, then for
 * those, a thousand at a time. What is kept in ranges goes as a whole nearly always, so its old rows may wait for some hours.
 */
export function retention(
  rule: Rule & ({ readonly kind: RetentionKind } | { keepSeconds(config: Config): number }),
): Retention {
  const kind = 'kind' in rule ? rule.kind : undefined
  const sweep = async (db: Database, expired: Omit<Expired, 'limit' | 'since'>, signal?: AbortSignal) => {
    for (let next: boolean | string = true; next; signal?.throwIfAborted()) {
      const since: string | undefined = typeof next === 'string' ? next : undefined
      next = await rule.deleteBefore(db, { ...expired, limit: BATCH, since })
    }
  }
  const sweepAll = async ({ db, clock, config }: RetentionServices, signal: AbortSignal) => {
    const now = clock.now()
    const seconds = 'kind' in rule ? installationRetention(config)[rule.kind] : rule.keepSeconds(config)
    if (Number.isFinite(seconds)) {
      const moment = ago(now, seconds)
      const ranges = (await rule.ranges?.(db, moment, config)) ?? [undefined]
      for (const range of ranges) await sweep(db, { moment, kind, range }, signal)
    }
  }
  const sweepOwn = async ({ db, clock, config }: RetentionServices, signal: AbortSignal) => {
    if (kind === undefined) return
    const now = clock.now()
    let after = FIRST_ID
    for (let isMore = true; isMore; signal.throwIfAborted()) {
      const periods = await listOwnPeriods(db, { kind, config, after, limit: TEAMS })
      const own = periods
        .filter((period) => Number.isFinite(period.seconds))
        .map((period) => ({ team: period.team, moment: ago(now, period.seconds) }))
      if (own.length > 0) await sweep(db, { moment: now, own }, signal)
      after = periods.at(-1)?.team ?? after
      isMore = periods.length === TEAMS
    }
  }
  return {
    ...job<Progress, RetentionServices>({
      name: rule.name,
      everySeconds: minutes(15),
      retryAfterSeconds: [],
      async run({ sweptAllAt }, { signal, ...services }) {
        const now = services.clock.now()
        if (!rule.ranges) await sweepAll(services, signal)
        else if (sweptAllAt === undefined || ago(now, SWEEP_ALL_SECONDS) >= new Date(sweptAllAt)) {
          await sweepAll(services, signal)
          await writeRecurringPayload(services.db, rule.name, { sweptAllAt: now.toISOString() } satisfies Progress)
        }
        await sweepOwn(services, signal)
      },
    }),
    async sweepTeam({ db, clock, config }, team) {
      const seconds = 'kind' in rule ? (await readPeriods(db, team, config))[rule.kind] : rule.keepSeconds(config)
      if (Number.isFinite(seconds)) await sweep(db, { moment: ago(clock.of(team).now(), seconds), team })
    },
  }
}

const ago = (now: Date, seconds: number) => new Date(now.getTime() - seconds * 1_000)

/** For statements that delete what is old: of everybody, or of one team. */
export const ofTeam = (team: string | undefined): Sql => (team === undefined ? sql`` : sql`and team_id = ${team}`)

/** The first of all keys. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Conditions on a row `r`: it may go, by its age. Each is found by an index over all teams, in the order of this column, and is true of no row that is not deleted: those would be found each time.
 */
export interface ByAge {
  readonly column: Sql
  readonly conditions: readonly Sql[]
}

/** By an index of ids, which are in the order of time. */
export const byKey = (key: Sql, { moment }: Expired, condition: Sql = sql``): ByAge => ({
  column: key,
  conditions: madeBefore(sql`r.${key}`, moment).map((isOld) => sql`${isOld} and ${isPast(key, moment)} ${condition}`),
})

/** By an index of the moments at which rows were made. */
export const byTime = (column: Sql, { moment }: Expired): ByAge => ({
  column,
  conditions: [sql`r.${column} < ${moment} and ${isPast(sql`id`, moment)}`],
})

/** Of a row `r`, whoever it belongs to: as `oldRows` has it. */
const isPast = (key: Sql, moment: Date): Sql => sql`
  case when is_sandbox(r.team_id) then r.${key} >= ${FIRST_SANDBOX_ID} and r.${key} < ${firstSandboxIdAt(moment)}
    else r.${key} < ${firstIdAt(moment)} end`

/**
 * Whose rows may be old: `team_id`, the `moment` before which they are, `first_id`, the first id of that moment, and `low_id`, the first of all: what a sandbox has from before its ids were
 * marked goes with it. The teams that are named; those of the oldest rows of all, if there is an index by age; or those who have any rows in a table, found from one team to
 * the next by an index that begins with the team. That is also the way when teams that keep more than the others have so many old rows that those of others are not seen.
 */
export function ownersIn(
  table: Sql,
  expired: Expired,
  {
    key = sql`id`,
    condition = sql``,
    isInRealTime = false,
    byAge,
  }: { key?: Sql; condition?: Sql; isInRealTime?: boolean; byAge?: ByAge } = {},
): Sql {
  const { moment, team, since, kind, own } = expired
  if (own) {
    const rows = own
      .filter((one) => since === undefined || one.team >= since)
      .map((one) => ({ team_id: one.team, moment: one.moment, first_id: firstIdAt(one.moment), low_id: FIRST_ID }))
    const columns = { team_id: 'uuid', moment: 'timestamptz', first_id: 'uuid', low_id: 'uuid' } as const
    return sql`(select * from ${rowsOf(rows, columns)} order by team_id)`
  }
  const hasMark = isInRealTime ? sql`false` : sql`is_sandbox(team_id)`
  const further = sql`${ofTeam(team)} ${isWithin(key, expired.range)} ${condition}`
  const isOfAll = (of: Sql) => (kind === undefined ? sql`true` : hasNoOwnPeriod(kind, of))
  const isSeen = byAge && team === undefined
  return sql`(
    with recursive ${isSeen ? sql`${agedIn(table, byAge, isOfAll)},` : sql``}
    owners (team_id) as (
      (select r.team_id from ${table} r where r.team_id >= ${since ?? FIRST_ID} ${further}
        ${isSeen ? sql`and (select is_hidden from seen)` : sql``} order by r.team_id limit 1)
      union all
      select next.team_id from owners cross join lateral (
        select r.team_id from ${table} r where r.team_id > owners.team_id ${further} order by r.team_id limit 1) next)
    select team_id, ${moment}::timestamptz as moment,
      case when ${hasMark} then ${firstSandboxIdAt(moment)} else ${firstIdAt(moment)} end::uuid as first_id,
      case when ${hasMark} then ${FIRST_SANDBOX_ID} else ${FIRST_ID} end::uuid as low_id
    from (
      select team_id from owners where ${isOfAll(sql`owners.team_id`)}
      ${isSeen ? sql`union all select team_id from aged where is_of_all and not (select is_hidden from seen)` : sql``}) owners)`
}

/** `aged`: whose the oldest rows are. `seen`: whether these are not all that there are, and some of them stay. */
const agedIn = (table: Sql, { column, conditions }: ByAge, isOfAll: (team: Sql) => Sql): Sql => sql`
  aged as materialized (
    select found.team_id, found.count, ${isOfAll(sql`found.team_id`)} as is_of_all from (
      select team_id, count(*) as count from (
        ${join(
          conditions.map(
            (isOld) => sql`(select r.team_id from ${table} r where ${isOld} order by r.${column} limit ${MAX_AGED})`,
          ),
          ' union all ',
        )}) oldest
      group by team_id) found),
  seen as (select coalesce(sum(count) >= ${MAX_AGED} and not bool_and(is_of_all), false) as is_hidden from aged)`

/** Of a row `r`. All of a partition is in its range, so this is for the planner to leave the others out. */
export const isWithin = (key: Sql, { from, to }: IdRange = { from: null, to: null }): Sql =>
  sql`${from === null ? sql`` : sql`and r.${key} >= ${from}::uuid`} ${to === null ? sql`` : sql`and r.${key} < ${to}::uuid`}`

/** A row that is to go. */
export interface OldRow {
  readonly team: string
  readonly id: string
}

/**
 * The keys of rows of a table that were made before a moment, team by team. By its primary key, team and id, as ids are in the order of
 * time: an index by age would be written for each row. Keys are compared as a whole, which lets the planner expect many rows: of few it would gather and sort
 * all that a team has. Where ids are in real time and the team is not (`isInRealTime`), its own time counts, too, unless the table does not know it (`createdAt`). Rows
 * of `owner.team_id` stay from the id `bound` on, and a condition on a row `r` of an `owner` may follow.
 */
export const oldRows = (
  table: Sql,
  expired: Expired,
  {
    key = sql`id`,
    createdAt = sql`created_at`,
    bound,
    condition = sql``,
    isInRealTime = false,
    byAge,
  }: {
    key?: Sql
    createdAt?: Sql | null
    bound?: Sql
    condition?: Sql
    isInRealTime?: boolean
    byAge?: ByAge
  } = {},
): Sql => sql`
  select old.team, old.id from ${ownersIn(table, expired, { key, isInRealTime, ...(byAge && { byAge }) })} owner
  cross join lateral (
    select r.team_id as team, r.${key} as id from ${table} r
    where (r.team_id, r.${key}) >= (owner.team_id, owner.low_id)
      and (r.team_id, r.${key}) < (owner.team_id, ${bound ? sql`least(owner.first_id, ${bound})` : sql`owner.first_id`})
      and r.${key} < owner.first_id ${isWithin(key, expired.range)}
      ${createdAt ? sql`and r.${createdAt} < owner.moment` : sql``} ${condition}
    order by r.team_id, r.${key} limit ${expired.limit}) old
  limit ${expired.limit}`

/** A condition on a row `r`: it is one of these. The range of the keys lets partitions be left out. */
export function isAmong(rows: readonly OldRow[], key: Sql = sql`id`): Sql {
  const ids = rows.map(({ id }) => id).sort()
  return sql`(r.team_id, r.${key}) in (select given.team, given.id from ${rowsOf(rows, { team: 'uuid', id: 'uuid' })})
    and r.${key} >= ${ids[0]}::uuid and r.${key} <= ${ids.at(-1)}::uuid`
}

/** Ids that were made before a moment, as conditions of which one holds: those of teams, and those of sandboxes. */
export const madeBefore = (id: Sql, moment: Date): readonly [Sql, Sql] => [
  sql`${id} < ${firstIdAt(moment)}`,
  sql`${id} >= ${FIRST_SANDBOX_ID} and ${id} < ${firstSandboxIdAt(moment)}`,
]

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
