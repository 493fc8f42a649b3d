import type { Queryable } from '../../kernel/db/database.ts'
import { readSnapshot, type Snapshot } from '../../kernel/db/snapshots.ts'
import { sql } from '../../kernel/db/sql.ts'
import { eventsAbout, eventsOf, eventsSince, IS_OF_THIS_SERVER } from '../../kernel/outbox/events.ts'
import { firstIdAt } from '../../platform/ids.ts'

// A message is there when the event is that says so: `email.sent` when it has left, `email.received` when it was read. Which events are
// new is told by the transactions that have written them. Ids and times do not tell: they are made before the commit, in the time of the
// team, which may stand still, and by several processes.
//
// The order of arrivals is that of the numbers of transactions. A transaction has its number from its first write on, so one with a smaller
// number may commit later. Whoever was told of the later number and goes on from there would never hear of the smaller one. Hence nobody
// is told of a message before all transactions with smaller numbers have ended: it is settled then, and nothing comes in front of it. What
// commits is not known in its order (PostgreSQL keeps that only where it is asked to when it starts), numbers that are given at the commit
// would let one team send one email at a time, and an order that is written down when somebody looks is a write for each look.

const ARRIVALS = sql`o.type in ('email.sent', 'email.received')`

/** Where in the order of arrivals a message stands: that of transactions, and in one of them that of its events. */
export interface Position {
  readonly xid: string
  readonly event: string
}

/** From where somebody goes on. */
export interface Cursor extends Position {
  /** Transactions with smaller numbers that had not ended when this was asked: whoever has the cursor knows nothing of what they write. */
  readonly running: readonly string[]
}

export interface Arrival {
  readonly team: string
  readonly id: string
  readonly position: Position
}

/** Of one team at a time. A team with as many may have more. */
export const MAX_ARRIVALS = 500

/**
 * What has come for these teams since a snapshot was taken, in one statement, and the snapshot that the next one begins with. Each message
 * is in one of them, whenever its transaction commits: it was none that the last snapshot has seen, and is one that this one sees.
 */
export async function readArrivals(
  db: Queryable,
  teams: readonly string[],
  since: Snapshot,
): Promise<{ snapshot: Snapshot; arrivals: Arrival[] }> {
  // What came for other teams meanwhile is little. Were the teams part of the first condition, PostgreSQL might read all that they ever had.
  const rows = await db.query<Position & { snapshot: Snapshot; team: string | null; id: string }>(sql`
    with came as materialized (
      select o.team_id, o.about, o.xid, o.id from ${eventsSince(since, db.clock.now())} and ${ARRIVALS}),
    wanted as (
      select came.*, row_number() over (partition by team_id order by xid, id) as number from came where team_id = any (${teams}::uuid[]))
    select now_seen.snapshot, wanted.team_id as team, wanted.about as id, wanted.xid::text as xid, wanted.id as event
    from (select pg_current_snapshot()::text as snapshot) now_seen left join wanted on wanted.number <= ${MAX_ARRIVALS}
    order by wanted.xid, wanted.id`)
  return {
    snapshot: rows[0]!.snapshot,
    arrivals: rows.flatMap(({ team, id, xid, event }) =>
      team === null ? [] : [{ team, id, position: { xid, event } }],
    ),
  }
}

/** Null: nobody knows any more when it came. */
export async function cursorAt(db: Queryable, team: string, id: string): Promise<Cursor | null> {
  const [row] = await db.query<Position & { snapshot: Snapshot }>(sql`
    select o.xid::text as xid, o.id as event, pg_current_snapshot()::text as snapshot from ${eventsAbout({ team, id })}
      and ${ARRIVALS} and o.xid is not null and ${IS_OF_THIS_SERVER}
    order by o.id limit 1`)
  if (!row) return null
  const { xid, event, snapshot } = row
  return { xid, event, running: readSnapshot(snapshot).running.filter((other) => BigInt(other) < BigInt(xid)) }
}

/** Where these messages stand. One that is left out came before all the others. */
export async function positionsOf(db: Queryable, team: string, ids: readonly string[]): Promise<Map<string, Position>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<Position & { id: string }>(sql`
    select distinct on (o.about) o.about as id, o.xid::text as xid, o.id as event from ${eventsOf(team)}
      and o.about = any (${ids}::uuid[]) and ${ARRIVALS} and o.xid is not null and ${IS_OF_THIS_SERVER}
    order by o.about, o.id`)
  return new Map(rows.map(({ id, xid, event }) => [id, { xid, event }]))
}

export function comparePositions(one: Position, other: Position): number {
  if (one.xid !== other.xid) return BigInt(one.xid) < BigInt(other.xid) ? -1 : 1
  if (one.event === other.event) return 0
  return one.event < other.event ? -1 : 1
}

export const isBehind = (position: Position, cursor: Cursor) =>
  comparePositions(position, cursor) > 0 || cursor.running.includes(position.xid)

const FIRST_EVENT = '00000000-0000-0000-0000-000000000000'

/** So many messages behind a cursor, in their order. `last` is where the piece before ended. */
export function readBehind(
  db: Queryable,
  team: string,
  cursor: Cursor,
  { last, size }: { last: Position | null; size: number },
) {
  const [oldest] = cursor.running
  const start = last ?? (oldest === undefined ? cursor : { xid: oldest, event: FIRST_EVENT })
  return db.query<Position & { id: string }>(sql`
    select o.about as id, o.xid::text as xid, o.id as event from ${eventsOf(team)}
      and ${ARRIVALS} and (o.xid, o.id) > (${start.xid}::xid8, ${start.event}::uuid)
      and ((o.xid, o.id) > (${cursor.xid}::xid8, ${cursor.event}::uuid) or o.xid = any (${cursor.running}::xid8[]))
      and ${IS_OF_THIS_SERVER}
    order by o.xid, o.id limit ${size}`)
}

/** So many messages that came at a moment of the team's time or later, the latest first. `before` is the event of one. */
export const readSince = (
  db: Queryable,
  team: string,
  { moment, before, size }: { moment: Date; before: string | null; size: number },
) =>
  db.query<{ id: string; event: string }>(sql`
    select coalesce(o.about, (o.data ->> 'email_id')::uuid) as id, o.id as event from ${eventsOf(team)}
      and ${ARRIVALS} and o.id >= ${firstIdAt(moment, team)}
      ${before === null ? sql`` : sql`and o.id < ${before}::uuid`}
    order by o.id desc limit ${size}`)
