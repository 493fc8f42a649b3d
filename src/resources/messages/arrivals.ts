import type { Queryable } from '../../platform/db/database.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import { firstIdAt } from '../../platform/ids.ts'

// A message is there when the event is that says so: `email.sent` when it has left, `email.received` when it was read. Which events are
// new is told by the transactions that have written them. Ids and times do not tell: they are made before the commit, in the time of the
// team, which may stand still, and by several processes.

const ARRIVALS = sql`o.type in ('email.sent', 'email.received')`

/** Which transactions somebody has seen, as `pg_current_snapshot()` writes it. */
export type Snapshot = string

export async function currentSnapshot(db: Queryable): Promise<Snapshot> {
  const [row] = await db.query<{ snapshot: Snapshot }>(sql`select pg_current_snapshot()::text as snapshot`)
  return row!.snapshot
}

/** Where in the order of arrivals a message stands: that of transactions, and in one of them that of its events. */
export interface Place {
  readonly xid: string
  readonly event: string
}

export interface Arrival {
  readonly team: string
  readonly id: string
  readonly place: Place
}

/** Of one team at a time. A team with as many may have more. */
export const MOST_ARRIVALS = 500

/**
 * What has come for these teams since a snapshot was taken, in one statement, and the snapshot that the next one begins with. Each message
 * is in one of them, whenever its transaction commits: it was none that the last snapshot has seen, and is one that this one sees.
 */
export async function readArrivals(
  db: Queryable,
  teams: readonly string[],
  since: Snapshot,
): Promise<{ snapshot: Snapshot; arrivals: Arrival[] }> {
  const { oldest, next, running } = readSnapshot(since)
  const rows = await db.query<Place & { snapshot: Snapshot; team: string | null; id: string }>(sql`
    select now_seen.snapshot, arrived.*
    from (select pg_current_snapshot()::text as snapshot) now_seen
    left join (
      select wanted.team, one.* from unnest(${teams}::uuid[]) as wanted (team) cross join lateral (
        select o.about as id, o.xid::text as xid, o.id as event from outbox o
        where o.team_id = wanted.team and ${ARRIVALS} and o.xid >= ${oldest}::xid8
          and (o.xid >= ${next}::xid8 or o.xid = any (${running}::xid8[])) and ${isOfHere(sql`o.xid`)}
        order by o.xid, o.id limit ${MOST_ARRIVALS}) one) arrived on true`)
  return {
    snapshot: rows[0]!.snapshot,
    arrivals: rows.flatMap(({ team, id, xid, event }) => (team === null ? [] : [{ team, id, place: { xid, event } }])),
  }
}

/** `xmin:xmax:running,…`: all before `next` had ended, but for those that were running. */
function readSnapshot(snapshot: Snapshot) {
  const [, next = '0', list = ''] = snapshot.split(':')
  const running = list === '' ? [] : list.split(',')
  return { oldest: running[0] ?? next, next, running }
}

/** A database that was restored from a dump has numbers of another server, which this one has not come to. */
const isOfHere = (xid: Sql): Sql => sql`${xid} < pg_snapshot_xmax(pg_current_snapshot())`

/** Null: nobody knows any more when it came. */
export async function placeOf(db: Queryable, team: string, id: string): Promise<Place | null> {
  const [row] = await db.query<Place>(sql`
    select o.xid::text as xid, o.id as event from outbox o
    where o.team_id = ${team} and o.about = ${id} and ${ARRIVALS} and o.xid is not null and ${isOfHere(sql`o.xid`)}
    order by o.id limit 1`)
  return row ?? null
}

export const isBehind = (one: Place, other: Place) =>
  one.xid === other.xid ? one.event > other.event : BigInt(one.xid) > BigInt(other.xid)

/** So many messages that came after a place, in the order in which they came. */
export const readAfterPlace = (db: Queryable, team: string, place: Place, size: number) =>
  db.query<Place & { id: string }>(sql`
    select o.about as id, o.xid::text as xid, o.id as event from outbox o
    where o.team_id = ${team} and ${ARRIVALS} and (o.xid, o.id) > (${place.xid}::xid8, ${place.event}::uuid)
      and ${isOfHere(sql`o.xid`)}
    order by o.xid, o.id limit ${size}`)

/** So many messages that came at a moment of the team's time or later, the latest first. `before` is the event of one. */
export const readSince = (
  db: Queryable,
  team: string,
  { moment, before, size }: { moment: Date; before: string | null; size: number },
) =>
  db.query<{ id: string; event: string }>(sql`
    select coalesce(o.about, (o.data ->> 'email_id')::uuid) as id, o.id as event from outbox o
    where o.team_id = ${team} and ${ARRIVALS} and o.id >= ${firstIdAt(moment)}
      ${before === null ? sql`` : sql`and o.id < ${before}::uuid`}
    order by o.id desc limit ${size}`)
