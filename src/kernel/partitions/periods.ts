import type { Database, Queryable } from '../db/database.ts'
import { raw, sql } from '../db/sql.ts'
import { FIRST_ID } from '../jobs/retention.ts'
import { findPartitions, type Partition } from './catalog.ts'
import { type Cut, firstTable, isBefore, isGone, isPeriod, type Span } from './tables.ts'

/** A partition that is a period, or what was there before them, with the ids of its rows. */
export interface Period {
  readonly name: string
  readonly from: string
  readonly to: string
}

/** What covers ids whose rows are there, as the first table of a cut has it: the others are cut at the same ids. What is about to go counts as gone. */
async function findCovered(db: Queryable, cut: Cut): Promise<readonly Partition[]> {
  const table = firstTable(cut)
  const partitions = await findPartitions(db, table)
  return partitions.filter(({ name, isDetaching }) => !isDetaching && !isGone(table, name))
}

/** The periods of a cut that end before an id, oldest first. */
export async function periodsBefore(db: Queryable, cut: Cut, id: string): Promise<Period[]> {
  const partitions = await findCovered(db, cut)
  return partitions.flatMap(({ name, from, to }) =>
    (isPeriod(firstTable(cut), name) || isBefore(firstTable(cut), name)) && to !== null && to <= id
      ? [{ name, from: from ?? FIRST_ID, to }]
      : [],
  )
}

/** The ids of a cut that stay when these of its periods go. */
export async function keptWithout(db: Queryable, cut: Cut, periods: readonly Period[]): Promise<Span[]> {
  const partitions = await findCovered(db, cut)
  return partitions.filter(({ name }) => periods.every((period) => period.name !== name))
}

const TEAMS = 1_000

/** The teams that have rows in a partition, in pages. By an index that begins with the team: a probe for each. */
export async function* teamsIn(db: Database, partition: string): AsyncGenerator<readonly string[]> {
  const table = raw(partition)
  for (let after = FIRST_ID; ; ) {
    const rows = await db.queryPooled<{ team: string }>(sql`
      with recursive owners (team) as (
        (select r.team_id from ${table} r where r.team_id > ${after}::uuid order by r.team_id limit 1)
        union all
        select next.team_id from owners cross join lateral (
          select r.team_id from ${table} r where r.team_id > owners.team order by r.team_id limit 1) next)
      select team from owners limit ${TEAMS}`)
    if (rows.length > 0) yield rows.map(({ team }) => team)
    if (rows.length < TEAMS) return
    after = rows.at(-1)!.team
  }
}
