import type { Database, Transaction } from '../../kernel/db/database.ts'
import { anyTeam, sql } from '../../kernel/db/sql.ts'
import { lockCounters } from './fold.ts'

// Sums of counters are kept by a trigger. What was counted before there was one is added up here, the newest first.

/** Counters of one transaction, and those of the rest of their day: a tenth of a second or so. */
const SLICE = 10_000

/** Says that the sums of a team are to be made of its counters: of one from another cell, whose counters were written without triggers. */
export const requestBackfill = (trx: Transaction, team: string) =>
  trx.query(sql.write`
    insert into metric_backfills (team_id, filled_from) values (${team}, 'infinity')
    on conflict (team_id) do update set filled_from = excluded.filled_from`)

/** A team whose sums are not whole. */
export async function teamToBackfill(db: Database): Promise<string | null> {
  const [row] = await db.query<{ team: string }>(sql`select team_id as team from metric_backfills limit 1`)
  return row?.team ?? null
}

/**
 * Makes the next older sums of a team, and tells whether it has all of them now. Nobody counts for the team meanwhile, so what is counted
 * before is in this slice, and what is counted after is added to it by the trigger.
 */
export const backfillSlice = (db: Database, team: string, slice = SLICE): Promise<boolean> =>
  db.transaction(async (trx) => {
    await lockCounters(trx, team)
    // Locked: a team that is deleted waits for this, and deletes these sums, too.
    const [next] = await trx.query<{ from: Date | null; to: string }>(sql`
      select filled_from::text as "to", date_bin('1 day', (
        select min(quarter) from (
          select quarter from metric_counts where team_id = b.team_id and quarter < b.filled_from order by quarter desc limit ${slice}) newest
        ), 'epoch') as "from"
      from metric_backfills b where team_id = ${team} for update`)
    if (!next?.from) {
      await trx.query(sql.write`delete from metric_backfills where team_id = ${team}`)
      return true
    }
    const { from, to } = next
    await trx.query(sql.write`
      delete from metric_sums where team_id = ${anyTeam(team)} and start >= ${from} and start < ${to}::timestamptz`)
    await trx.query(sql.write`
      update metric_backfills set filled_from = ${from} where team_id = ${team}
      returning add_to_metric_sums(array(
        select c from metric_counts c where team_id = ${anyTeam(team)} and quarter >= ${from} and quarter < ${to}::timestamptz))`)
    return false
  })
