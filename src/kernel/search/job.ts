import type { Database } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { type Job, job } from '../jobs/job.ts'
import { indexAbove, indexBelow, indexChanges, readProgress, settleProgress } from './catch-up.ts'
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

/**
 * Writes documents before anybody has to wait for them, also those of what was there before there were any. Running twice is harmless: a document
 * that is there is not missing.
 */
export const indexJob = (source: SearchSource, teams: Sql, everySeconds = 30): Job<object, IndexServices> =>
  job<object, IndexServices>({
    name: `search.index.${source.kind}`,
    everySeconds,
    retryAfterSeconds: [],
    async run(_payload, { db, signal }) {
      for (const team of await findTeams(db, source, teams))
        for (let isMore = true; isMore; signal.throwIfAborted()) isMore = await indexSome(db, team, source)
    },
  })

/** A batch of a team. True: there may be more. */
async function indexSome(db: Database, team: string, source: SearchSource): Promise<boolean> {
  if (source.follows === 'changes') return indexChanges(db, team, source, BATCH)
  const { high } = await readProgress(db, team, source, { isSearch: false })
  let above = { last: high, isMore: true }
  while (above.isMore) above = await indexAbove(db, team, source, { high: above.last, limit: BATCH })
  await settleProgress(db, team, source)
  return (await indexBelow(db, team, source, BATCH)) !== FIRST_ID
}

/** Teams that have something to write. */
async function findTeams(db: Database, source: SearchSource, teams: Sql): Promise<string[]> {
  const { kind, table, follows } = source
  if (follows === 'changes') {
    const rows = await db.queryPooled<{ team: string }>(
      sql`select distinct c.team_id as team from search_changes c where c.kind = ${kind}`,
    )
    return rows.map(({ team }) => team)
  }
  const since = new Date(db.clock.now().getTime() - FOLLOWED_MS)
  const isFollowed = follows === 'always' ? sql`true` : sql`p.searched_at > ${since}`
  const rows = await db.queryPooled<{ team: string }>(sql`
    select t.id as team from ${teams} t left join search_progress p on p.team_id = t.id and p.kind = ${kind}
    where ${isFollowed} and (p.low > ${FIRST_ID}::uuid or exists (
      select from ${table} s where s.team_id = t.id and s.id > coalesce(p.high, ${FIRST_ID}::uuid) offset ${MIN_BEHIND} limit 1))`)
  return rows.map(({ team }) => team)
}
