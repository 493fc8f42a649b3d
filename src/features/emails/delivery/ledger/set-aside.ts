import type { Database, Queryable } from '../../../../kernel/db/database.ts'
import { rowsOf } from '../../../../kernel/db/rows.ts'
import { raw, type Sql, sql } from '../../../../kernel/db/sql.ts'
import { lockPaused, PAUSED_BROADCASTS } from '../../../broadcasts/reads.ts'
import { HOLD_IDS, lockHolds } from '../../../limits/holds.ts'
import { lockStoppedTeams, TEAM_STATES } from '../../../teams/reads.ts'
import type { HeldRow } from '../deliver.ts'
import type { Email } from '../email.ts'
import { APPROVAL_HOLD } from './approval-hold.ts'
import type { Claimed } from './queries.ts'

// Mail of suspended teams, under an operator's hold, or of paused broadcasts. (What waits for approval is set aside when it is accepted: see `approval-hold.ts`.) It stays in
// the ledger, out of the index that claims go through: each row is claimed once and set aside, and costs nobody anything until it may be sent.

/**
 * Sets claimed rows aside whose teams are suspended, untried, and returns which. The share lock lets nobody lift the suspension before this
 * has committed: what is set aside is seen by whoever takes it up again.
 */
export const holdSuspended = (db: Queryable, rows: readonly Claimed[], now: Date): Promise<Claimed[]> =>
  setAside(db, {
    rows: rows.map((row) => ({ row, cause: row.team })),
    causes: lockStoppedTeams([...new Set(rows.map(({ team }) => team))]),
    holdId: sql`null`,
    now,
  })

/** Far more than a request may say: whatever lies in the table. */
const MAX_TAGS_BYTES = 65_536

type HeldBy = Pick<Email, 'from' | 'tags'>

const lockCauses = (ids: readonly string[]): Sql => sql`
  with held as (${lockHolds(ids)}), paused as (${lockPaused(ids)})
  select id from held union all select id from paused`

/** The same of rows that fall under a hold, or belong to a broadcast that is paused, with the same lock. `hold` is the id of either. */
export const holdBack = (db: Queryable, rows: readonly HeldRow[], now: Date): Promise<Claimed[]> =>
  setAside(db, {
    rows: rows.map(({ row, hold, destination }) => ({ row, cause: hold, destination })),
    causes: lockCauses([...new Set(rows.map(({ hold }) => hold))]),
    holdId: sql`given.cause`,
    now,
  })

async function setAside(
  db: Queryable,
  {
    rows,
    causes,
    holdId,
    now,
  }: {
    readonly rows: readonly {
      readonly row: Claimed
      readonly cause: string
      readonly destination?: string | undefined
    }[]
    /** Locks those causes that are there. */
    readonly causes: Sql
    readonly holdId: Sql
    readonly now: Date
  },
): Promise<Claimed[]> {
  const taken = await db.query<{ index: number }>(sql.write`
    with causes as materialized (${causes})
    update deliveries d set holder = null, suspended_at = ${now}, hold_id = ${holdId},
      destination = coalesce(given.destination, d.destination)
    from ${rowsOf(
      rows.map(({ row: { team, emailId, position, holder, claims }, cause, destination }, index) => ({
        index,
        cause,
        destination,
        team,
        emailId,
        position,
        holder,
        claims,
      })),
      {
        index: 'int',
        cause: 'uuid',
        destination: 'text',
        team: 'uuid',
        emailId: 'uuid',
        position: 'smallint',
        holder: 'int',
        claims: 'int',
      },
    )}
    where cause in (select id from causes) and d.team_id = team and d.email_id = "emailId" and d.position = given.position
      and d.state = 'waiting' and d.holder is not distinct from given.holder and d.claims = given.claims
    returning index`)
  return taken.map(({ index }) => rows[index]!.row)
}

/** What holds ask of the emails of these rows, by email. Asked for only while mail of some sender, or with some tag, is held. */
export async function findHeldBy(db: Database, rows: readonly Claimed[]): Promise<ReadonlyMap<string, HeldBy>> {
  const found = await db.queryPooled<HeldBy & { id: string }>(sql`
    select e.id, left(e."from", 1000) as "from", case when octet_length(e.tags::text) <= ${MAX_TAGS_BYTES} then e.tags end as tags
    from (select distinct team, "emailId" from ${rowsOf(rows, { team: 'uuid', emailId: 'uuid' })}) wanted
    join emails e on e.team_id = wanted.team and e.id = wanted."emailId"`)
  return new Map(found.map(({ id, ...heldBy }) => [id, heldBy]))
}

/** Which of these emails belong to one of these broadcasts. Asked for only while one is paused. */
export async function findBroadcasts(
  db: Database,
  rows: readonly Claimed[],
  broadcasts: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await db.queryPooled<{ id: string; broadcast: string }>(sql`
    select e.id, e.broadcast_id as broadcast
    from (select distinct team, "emailId" from ${rowsOf(rows, { team: 'uuid', emailId: 'uuid' })}) wanted
    join emails e on e.team_id = wanted.team and e.id = wanted."emailId"
    where e.broadcast_id = any (${broadcasts}::uuid[])`)
  return new Map(found.map(({ id, broadcast }) => [id, broadcast]))
}

const BATCH = 2_000
const LIMIT = raw(String(BATCH))

/** Takes up some of what may be sent again, and returns whether there may be more. */
export async function resumeHeld(db: Database): Promise<boolean> {
  const resumed = [await resume(db, OF_FREE_TEAMS), await resume(db, OF_RELEASED_HOLDS)]
  return resumed.some((count) => count === BATCH)
}

/** The time that it lay there is added to the time in which it may be tried. */
async function resume(db: Database, free: Sql): Promise<number> {
  const rows = await db.queryPooled(sql.write`
    with recursive ${free}
    update deliveries d set suspended_at = null, hold_id = null,
      give_up_at = give_up_at + (${db.clock.now()}::timestamptz - d.suspended_at)
    from free where d.state = 'waiting' and d.team_id = free.team_id and d.email_id = free.email_id and d.position = free.position
    returning 1`)
  return rows.length
}

/** What was set aside for teams that are not suspended any more. Walks from team to team, an index probe each. */
const OF_FREE_TEAMS = sql`
    teams_aside (id) as (
      (select team_id from deliveries where state = 'waiting' and suspended_at is not null and hold_id is null order by team_id limit 1)
      union all
      select (
        select d.team_id from deliveries d
        where d.state = 'waiting' and d.suspended_at is not null and d.hold_id is null and d.team_id > teams_aside.id order by d.team_id limit 1)
      from teams_aside where id is not null),
    free as materialized (
      select aside.* from teams_aside
      cross join lateral (
        select t.id from ${TEAM_STATES} t where t.id = teams_aside.id and not t.is_stopped limit 1) t
      cross join lateral (
        select d.team_id, d.email_id, d.position from deliveries d
        where d.team_id = teams_aside.id and d.state = 'waiting' and d.suspended_at is not null and d.hold_id is null limit ${LIMIT} for update skip locked) aside
      limit ${LIMIT})`

/**
 * What was set aside for holds that are released, and broadcasts that are not paused any more. Walks from one to the next. What waits for approval is freed by
 * whoever approves it.
 */
const OF_RELEASED_HOLDS = sql`
    holds_aside (id) as (
      (select hold_id from deliveries where state = 'waiting' and suspended_at is not null and hold_id is not null order by hold_id limit 1)
      union all
      select (
        select d.hold_id from deliveries d
        where d.state = 'waiting' and d.suspended_at is not null and d.hold_id is not null and d.hold_id > holds_aside.id order by d.hold_id limit 1)
      from holds_aside where id is not null),
    free as materialized (
      select aside.* from holds_aside
      cross join lateral (
        select d.team_id, d.email_id, d.position from deliveries d
        where d.hold_id = holds_aside.id and d.state = 'waiting' and d.suspended_at is not null and d.hold_id is not null limit ${LIMIT} for update skip locked) aside
      where holds_aside.id is not null and holds_aside.id <> ${APPROVAL_HOLD} and holds_aside.id not in (select id from ${HOLD_IDS} there)
        and holds_aside.id not in (select id from ${PAUSED_BROADCASTS} paused)
      limit ${LIMIT})`
