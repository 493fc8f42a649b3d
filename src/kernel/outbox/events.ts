import type { Clock } from '../../platform/clock.ts'
import { firstIdAt, isSandbox, momentOf } from '../../platform/ids.ts'
import { readSnapshot, type Snapshot } from '../db/snapshots.ts'
import { type RowKey, raw, type Sql, sql } from '../db/sql.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

// What statements of others read events through. Each piece calls a row of the outbox `o`.

/** The events of a team; a condition on `o` may follow. */
export const eventsOf = (team: string | Sql): Sql => sql`outbox o where o.team_id = ${team}`

/** The timeline of an email; a condition on `o` may follow. */
export const eventsAbout = ({ team, id }: RowKey): Sql =>
  sql`${eventsOf(team)} and o.about = ${id} and o.id >= an_hour_before(${id})`

/** The same of one email, by values: in the partitions from the day of the email until today. A sandbox's time may have been anything. */
export function eventsAboutOne(clock: Clock, { team, id }: { readonly team: string; readonly id: string }): Sql {
  const from = firstIdAt(new Date(momentOf(id).getTime() - HOUR_MS), team)
  const to = isSandbox(team) ? LAST_ID : firstIdAt(new Date(clock.of(team).now().getTime() + HOUR_MS))
  return sql`events_about(${team}, ${id}, ${from}, ${to}) o`
}

/** Events of all teams that commit after a snapshot, which is a day old at most; a condition on `o` may follow. Those of sandboxes have the last ids of all. */
export function eventsSince(snapshot: Snapshot, now: Date): Sql {
  const { oldest, next, running } = readSnapshot(snapshot)
  return sql`
    outbox o where o.id >= ${firstIdAt(new Date(now.getTime() - DAY_MS))} and o.xid >= ${oldest}::xid8 and (o.xid >= ${next}::xid8 or o.xid = any (${running}::xid8[])) and ${IS_OF_THIS_SERVER}`
}

/** A database that was restored from a dump has numbers of another server, which this one has not come to. */
export const IS_OF_THIS_SERVER = sql`o.xid < pg_snapshot_xmax(pg_current_snapshot())`

/** The event of a row that has its id in `event_id`. To follow `left`, where it may be gone. */
export const joinEvent = (alias: string, team: Sql = raw(`${alias}.team_id`)): Sql => sql`
  join outbox o on o.team_id = ${team} and o.id = ${raw(alias)}.event_id`

/**
 * The same, one by one by their keys: the planner takes a period that has just begun for empty, and sees no difference between the events of a team and
 * the one that is asked for.
 */
export const lookUpEvent = (alias: string): Sql => sql`
  cross join lateral (
    select k.* from outbox k where k.team_id = ${raw(alias)}.team_id and k.id = ${raw(alias)}.event_id offset 0) o`

/** No event of the same type about the same email came before `o`. */
export const IS_FIRST_OF_TYPE = sql`o.id = (
  select p.id from outbox p where p.team_id = o.team_id and p.about = o.about and p.id >= an_hour_before(o.about) and p.type = o.type order by p.id limit 1)`

/** A team with events of a range of ids that somebody has still to deal with; null: none. Of what is listed in batches the smallest id is known: others may come behind it. */
export const teamPending = ({ from, to }: { from: string; to: string }): Sql => sql`
  coalesce(
    (select n.team_id from outbox_notes n where n.event_id >= ${from}::uuid and n.event_id < ${to}::uuid limit 1),
    (select b.team_id from outbox_batches b where b.event_id < ${to}::uuid limit 1))`
