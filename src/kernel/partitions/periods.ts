import { type Database, pooled } from '../db/database.ts'
import { raw, sql } from '../db/sql.ts'
import { findPartitions } from './catalog.ts'
import { type Cut, isPeriod, PARTITIONED_TABLES } from './tables.ts'

/** A partition that is a period, with the ids of its rows. */
export interface Period {
  readonly name: string
  readonly from: string
  readonly to: string
}

/** The periods of a cut that end before an id, oldest first, as its first table has them: the others are cut at the same ids. */
export async function periodsBefore(db: Database, cut: Cut, id: string): Promise<Period[]> {
  const table = PARTITIONED_TABLES.find((one) => one.cut === cut)!
  const partitions = await findPartitions(pooled(db), table)
  return partitions.flatMap(({ name, from, to }) =>
    isPeriod(table, name) && from !== null && to !== null && to <= id ? [{ name, from, to }] : [],
  )
}

const TEAMS = 1_000

/** The teams that have rows in a partition, in pages. By an index that begins with the team: a probe for each. */
export async function* teamsIn(db: Database, partition: string): AsyncGenerator<readonly string[]> {
  const table = raw(partition)
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
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
