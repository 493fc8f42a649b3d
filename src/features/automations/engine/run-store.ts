import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { toJson } from '../../../kernel/db/rows.ts'
import { anyTeam, type Sql, sql } from '../../../kernel/db/sql.ts'
import {
  byKey,
  type Expired,
  isAmong,
  nextTeam,
  type OldRow,
  oldRows,
  ownersIn,
} from '../../../kernel/jobs/retention.ts'
import { newId } from '../../../platform/ids.ts'
import { AUTOMATIONS_CHANNEL } from './channel.ts'
import type { Graph } from './graph.ts'
import { triggerStepOf } from './store.ts'

// What the API does to runs. Whoever calls this holds the lock of the team (`lockTeam`).

/** So many runs are cancelled or deleted while somebody waits for it. The rest is for a job. */
export const MAX_RUNS_PER_REQUEST = 10_000

export interface TestRun {
  readonly automation: string
  readonly graphId: string
  readonly graph: Graph
  /** Null: a contact that there is only for this. */
  readonly contact: string | null
  readonly payload: Readonly<Record<string, unknown>>
  readonly to: string
  readonly waits: 'event_received' | 'timeout'
}

/** It stands before the trigger, and is due. */
export async function insertTestRun(trx: Transaction, team: string, run: TestRun): Promise<string> {
  const clock = trx.clock.of(team)
  const now = clock.now()
  const id = newId(clock, now)
  const { automation, graphId, graph, contact, payload, to, waits } = run
  await trx.query(sql.write`
    insert into automation_runs (team_id, id, automation_id, graph_id, contact_id, status, step_key, entered_at, due_at, event,
      wait_events, trail, test, created_at)
    values (${team}, ${id}, ${automation}, ${graphId}, ${contact ?? newId(clock)}, 'running', ${triggerStepOf(graph).key}, ${now},
      ${trx.clock.now()}, ${toJson(payload)}, '{}', '[]', ${toJson({ to, waits })}, ${now})`)
  trx.announce(AUTOMATIONS_CHANNEL)
  return id
}

/** False: it does not run. */
export const cancelRun = async (trx: Transaction, team: string, automation: string, id: string): Promise<boolean> =>
  (await cancelSome(trx, team, automation, { which: sql`and id = ${id}`, limit: 1 })).count === 1

/**
 * Those that began last come first. An id: there may be more, and all of them are before it. So whatever the clocks of the nodes say, it
 * tells them apart from runs that begin later.
 */
export async function cancelRunning(
  trx: Transaction,
  team: string,
  automation: string,
  { before, limit }: { readonly before?: string; readonly limit: number },
): Promise<string | null> {
  const which = before === undefined ? sql`` : sql`and id < ${before}`
  const { count, first } = await cancelSome(trx, team, automation, { which, limit })
  return count === limit ? first : null
}

/** The step where a run stood counts it; nothing is written about it in the trail. */
async function cancelSome(
  trx: Transaction,
  team: string,
  automation: string,
  { which, limit }: { readonly which: Sql; readonly limit: number },
): Promise<{ count: number; first: string | null }> {
  const [cancelled] = await trx.query<{ count: number; first: string | null }>(sql.write`
    with chosen as materialized (
      select id, step_key, test is not null as is_test from automation_runs
      where team_id = ${team} and automation_id = ${automation} and status = 'running' ${which}
      order by id desc limit ${limit}),
    ended as (
      update automation_runs r set status = 'cancelled', step_key = null, entered_at = null, due_at = null, waits_for = null,
        completed_at = ${trx.clock.of(team).now()}
      from chosen where r.team_id = ${anyTeam(team)} and r.id = chosen.id),
    counted as (
      insert into automation_numbers as n (team_id, automation_id, step_key, name, count)
      select ${team}, ${automation}, step_key, 'cancelled', count(*) from chosen where not is_test group by step_key
      on conflict (team_id, automation_id, step_key, name) do update set count = n.count + excluded.count)
    select count(*)::int as count, (select id from chosen order by id limit 1) as first from chosen`)
  return cancelled!
}

/** Of an automation that was deleted, with what is known about their emails. True: there may be more. */
export async function deleteRunsOf(
  trx: Transaction,
  team: string,
  automation: string,
  limit: number,
): Promise<boolean> {
  const runs = await trx.query(sql.write`
    delete from automation_runs where team_id = ${anyTeam(team)} and id in (
      select id from automation_runs where team_id = ${team} and automation_id = ${automation} limit ${limit})
    returning 1 as deleted`)
  const emails = await trx.query(sql.write`
    delete from automation_emails where team_id = ${anyTeam(team)} and email_id in (
      select email_id from automation_emails where team_id = ${team} and automation_id = ${automation} limit ${limit})
    returning 1 as deleted`)
  return runs.length === limit || emails.length === limit
}

/** Deletes some of those that ended long ago, and returns from which team on there may be more. */
export async function deleteEndedBefore(db: Queryable, expired: Expired): Promise<string | false> {
  const owners = ownersIn(sql`automation_runs`, expired, {
    condition: sql`and r.completed_at is not null`,
    byAge: { column: sql`completed_at`, conditions: [sql`r.completed_at < ${expired.moment}`] },
  })
  const old = await db.query<OldRow>(sql`
    select old.team, old.id from ${owners} owner
    cross join lateral (
      select r.team_id as team, r.id from automation_runs r where r.team_id = owner.team_id and r.completed_at < owner.moment
      order by r.completed_at limit ${expired.limit}) old
    limit ${expired.limit}`)
  if (old.length > 0) await db.query(sql.write`delete from automation_runs r where ${isAmong(old)}`)
  return nextTeam(old, expired.limit)
}

/** The same for emails that steps have sent: whoever opens one after so long is not counted any more. */
export async function deleteEmailsBefore(db: Queryable, expired: Expired): Promise<string | false> {
  const key = sql`email_id`
  const options = { key, createdAt: null, byAge: byKey(key, expired) }
  const old = await db.query<OldRow>(oldRows(sql`automation_emails`, expired, options))
  if (old.length > 0) await db.query(sql.write`delete from automation_emails r where ${isAmong(old, key)}`)
  return nextTeam(old, expired.limit)
}
