import type { Database } from '../db/database.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { type Job, job } from '../jobs/job.ts'
import { indexAbove, indexBelow, indexChanges, readProgress, settleProgress } from './catch-up.ts'
import { progressOf } from './documents.ts'
import { FIRST_ID } from './ranges.ts'
import type { SearchSource } from './source.ts'

interface IndexServices {
  readonly db: Database
}

/** Documents to a batch. */
const BATCH = 1_000
/** Fewer than these are left to whoever searches: they take some milliseconds, and in large batches a document costs less. */
const MIN_BEHIND = 500
/** How long a kind that is followed where it is searched is followed after the last search. */
const FOLLOWED_MS = 30 * 86_400_000
/** Teams beside the active ones that a run looks at: after some runs each had its turn, however many there are. */
const TEAMS_PER_RUN = 1_000

/** Whose items are followed as they are written. */
export interface FollowedTeams {
  /** All of them, with a column `id`. */
  readonly all: Sql
  /** Those that have written some of late, or a few more. What is missed here is found when the team has its turn among all. */
  active(now: Date): Sql
}

interface IndexOptions {
  /** Of a kind that is always followed. */
  readonly teams?: FollowedTeams
  readonly everySeconds?: number
}

/**
 * Writes documents before anybody has to wait for them, also those of what was there before there were any. Running twice is harmless: a document
 * that is there is not missing.
 */
export const indexJob = (
  source: SearchSource,
  { teams, everySeconds = 30 }: IndexOptions = {},
): Job<object, IndexServices> => {
  // Of this process: the others begin elsewhere, which does no harm.
  let cursor = FIRST_ID
  return job<object, IndexServices>({
    name: `search.index.${source.kind}`,
    everySeconds,
    retryAfterSeconds: [],
    async run(_payload, { db, signal }) {
      const some = teams ? await nextTeams(db, teams.all, cursor) : []
      for (const team of await findTeams(db, source, { some, teams }))
        for (let isMore = true; isMore; signal.throwIfAborted()) isMore = await indexSome(db, team, { source, signal })
      cursor = some.length < TEAMS_PER_RUN ? FIRST_ID : some.at(-1)!
    },
  })
}

async function nextTeams(db: Database, all: Sql, after: string): Promise<string[]> {
  const rows = await db.queryPooled<{ id: string }>(sql`
    select t.id from ${all} t where t.id > ${after} order by t.id limit ${TEAMS_PER_RUN}`)
  return rows.map(({ id }) => id)
}

/** A batch of a team. True: there may be more. */
async function indexSome(
  db: Database,
  team: string,
  { source, signal }: { source: SearchSource; signal: AbortSignal },
): Promise<boolean> {
  if (source.follows === 'changes') return indexChanges(db, team, source, BATCH)
  if (source.isNoted) while (await indexChanges(db, team, source, BATCH)) signal.throwIfAborted()
  const { high } = await readProgress(db, team, source, { isSearch: false })
  let above = { last: high, isMore: true }
  while (above.isMore) above = await indexAbove(db, team, source, { high: above.last, limit: BATCH })
  await settleProgress(db, team, source, { high })
  return (await indexBelow(db, team, source, BATCH)) !== FIRST_ID
}

/** Teams that have something to write. Of a kind that is always followed, among the active ones, those that are not done with what is old, and some others. */
async function findTeams(
  db: Database,
  source: SearchSource,
  which: { readonly some: readonly string[]; readonly teams: FollowedTeams | undefined },
): Promise<string[]> {
  const rows = await db.queryPooled<{ team: string }>(teamsQuery(source, { ...which, now: db.clock.now() }))
  return rows.map(({ team }) => team)
}

export function teamsQuery(
  source: SearchSource,
  { some, teams, now }: { some: readonly string[]; teams: FollowedTeams | undefined; now: Date },
): Sql {
  const { kind, table, follows, isNoted = false } = source
  const progress = progressOf(source)
  const noted = sql`select distinct c.team_id as team from search_changes c where c.kind = ${kind}`
  if (follows === 'changes') return noted
  const isBehind = (team: Sql) => sql`exists (
    select from ${table} s where s.team_id = ${team} and s.id > coalesce(p.high, ${FIRST_ID}::uuid) offset ${MIN_BEHIND} limit 1)`
  if (follows === 'searched')
    return sql`
      select p.team_id as team from search_progress p
      where p.kind = ${progress} and p.searched_at > ${new Date(now.getTime() - FOLLOWED_MS)}
        and (p.low > ${FIRST_ID}::uuid or ${isBehind(sql`p.team_id`)})`
  return sql`
    select p.team_id as team from search_progress p where p.kind = ${progress} and p.low > ${raw(`'${FIRST_ID}'`)}::uuid
    ${isNoted ? sql`union ${noted}` : sql``}
    union
    select t.id from (
      select id from ${teams!.active(now)} active union select unnest(${some}::uuid[])) t
    left join search_progress p on p.team_id = t.id and p.kind = ${progress}
    where ${isBehind(sql`t.id`)}`
}
