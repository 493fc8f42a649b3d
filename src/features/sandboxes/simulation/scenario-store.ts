import type { Database, Queryable, Transaction } from '../../../kernel/db/database.ts'
import { rowsOf } from '../../../kernel/db/rows.ts'
import { sql } from '../../../kernel/db/sql.ts'
import type { LoadedScenario, Scenario } from './scenario.ts'

/** The scenario of a team; an empty one when none was set. */
export async function findScenario(db: Queryable, team: string): Promise<Scenario> {
  const [row] = await db.query<{ scenario: Scenario }>(
    sql`select scenario from sandbox_scenarios where team_id = ${team}`,
  )
  return row?.scenario ?? {}
}

/** Sets the scenario of a team. A new one begins a new story: what was counted for the last one is gone. */
export function saveScenario(db: Database, team: string, scenario: Scenario): Promise<void> {
  return db.transaction(async (trx) => {
    await trx.query(sql.write`
      insert into sandbox_scenarios (team_id, scenario, version, updated_at)
      values (${team}, ${JSON.stringify(scenario)}::jsonb, 1, ${trx.clock.now()})
      on conflict (team_id) do update set scenario = excluded.scenario, updated_at = excluded.updated_at,
        version = sandbox_scenarios.version + 1, numbered_to = null`)
    await trx.query(sql.write`delete from sandbox_numbers where team_id = ${team}`)
    await trx.query(sql.write`delete from sandbox_counts where team_id = ${team}`)
  })
}

/** A scenario as it is read by those who have it already: null when the version is the one that they know. */
export type Reading = Omit<LoadedScenario, keyof Scenario> & { readonly scenario: Scenario | null }

/** Of those teams that have one. A team that is no sandbox has no seed: its id serves. */
export const readScenarios = (db: Queryable, known: readonly { team: string; version: number | null }[]) =>
  db.query<Reading>(sql`
    select s.team_id as team, s.version, coalesce(b.seed, s.team_id::text) as seed,
      case when s.version is distinct from known.version then s.scenario end as scenario
    from ${rowsOf(known, { team: 'uuid', version: 'int' }, 'known')}
    join sandbox_scenarios s on s.team_id = known.team
    left join sandboxes b on b.id = s.team_id`)

/** Counts one more, and returns which it is. */
export async function countOne(db: Queryable, team: string, name: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql.write`
    insert into sandbox_counts (team_id, name, count) values (${team}, ${name}, 1)
    on conflict (team_id, name) do update set count = sandbox_counts.count + 1
    returning count`)
  return row!.count
}

/** Locks the scenario of a team, so that its counts are this transaction's; null when it is another one by now. */
export async function lockScenario(
  trx: Transaction,
  team: string,
  version: number,
): Promise<{ numberedTo: string | null } | null> {
  const [row] = await trx.query<{ numberedTo: string | null }>(sql`
    select numbered_to as "numberedTo" from sandbox_scenarios
    where team_id = ${team} and version = ${version} for update`)
  return row ?? null
}
