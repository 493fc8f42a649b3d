import type { Database, Queryable } from '../../../../kernel/db/database.ts'
import { rowsOf } from '../../../../kernel/db/rows.ts'
import { raw, sql } from '../../../../kernel/db/sql.ts'
import { lockStoppedTeams, TEAM_STATES } from '../../../teams/reads.ts'
import type { Claimed } from './queries.ts'

// Mail of teams that are suspended. It stays in the ledger, out of the index that claims go through: each row is claimed once and set
// aside, and costs nobody anything until its team may send again.

/**
 * Sets claimed rows aside whose teams are suspended, untried, and returns which. The share lock lets nobody lift the suspension before this
 * has committed: what is set aside is seen by whoever takes it up again.
 */
export async function holdSuspended(db: Queryable, rows: readonly Claimed[], now: Date): Promise<Claimed[]> {
  const taken = await db.query<{ index: number }>(sql.write`
    with suspended as materialized (
      ${lockStoppedTeams([...new Set(rows.map(({ team }) => team))])})
    update deliveries d set holder = null, suspended_at = ${now}
    from ${rowsOf(
      rows.map(({ team, emailId, position, holder, claims }, index) => ({
        index,
        team,
        emailId,
        position,
        holder,
        claims,
      })),
      { index: 'int', team: 'uuid', emailId: 'uuid', position: 'smallint', holder: 'int', claims: 'int' },
    )}
    where team in (select id from suspended) and d.team_id = team and d.email_id = "emailId" and d.position = given.position
      and d.holder is not distinct from given.holder and d.claims = given.claims
    returning index`)
  return taken.map(({ index }) => rows[index]!)
}

const BATCH = 2_000

/**
 * Takes up some of what was set aside for teams that are not suspended any more, and returns whether there may be more. The time that it
 * lay there is added to the time in which it may be tried. Walks from team to team, an index probe each.
 */
export async function resumeHeld(db: Database): Promise<boolean> {
  const now = db.clock.now()
  const rows = await db.queryPooled(sql.write`
    with recursive teams_aside (id) as (
      (select team_id from deliveries where suspended_at is not null order by team_id limit 1)
      union all
      select (
        select d.team_id from deliveries d where d.suspended_at is not null and d.team_id > teams_aside.id order by d.team_id limit 1)
      from teams_aside where id is not null),
    free as materialized (
      select aside.* from teams_aside
      join ${TEAM_STATES} t on t.id = teams_aside.id and not t.is_stopped
      cross join lateral (
        select d.team_id, d.email_id, d.position from deliveries d
        where d.team_id = teams_aside.id and d.suspended_at is not null limit ${raw(String(BATCH))} for update skip locked) aside
      limit ${raw(String(BATCH))})
    update deliveries d set suspended_at = null, give_up_at = give_up_at + (${now}::timestamptz - d.suspended_at)
    from free where d.team_id = free.team_id and d.email_id = free.email_id and d.position = free.position
    returning 1`)
  return rows.length === BATCH
}
