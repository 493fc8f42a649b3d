import { firstIdAt, isSandbox, momentOf } from '../../platform/ids.ts'
import type { Database, Queryable } from '../db/database.ts'
import { type Gap, KeyedCursors } from '../db/keyed-cursors.ts'
import { anyRowsOf } from '../db/rows.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { PendingEvents } from './pending-events.ts'

const FIRST_ID = sql`'00000000-0000-0000-0000-000000000000'::uuid`
/** Of all teams: the first digit of an id says whether it is of a sandbox, and the others when it was made. */
const ORDER_OF_TIME = sql`substr(event_id::text, 2) collate "C"`

/** What one batch took of one team. */
interface TakenOfTeam {
  readonly team: string
  readonly events: number
  /** How many it could have taken. */
  readonly share: number
  /** The id of the last one; null: none was taken. */
  readonly last: string | null
  /** How many teams had a share. */
  readonly teams: number
  /** Of a row: there is a result of the work in it. */
  readonly hasResult: boolean
}

/** What to do with a batch of events, of many teams, in one statement. */
export interface BatchWork {
  /** How many events at a time, or a few more, and of how many teams at most. */
  readonly events: number
  /** What an event of `waiting.team_id` costs, where an ordinary one costs 1 at most: a team whose events cost more gets fewer at a time. */
  readonly cost?: Sql
  /** What the events of each team may cost all the same, however many teams there are: what is done for a team at all costs more than an event of it. */
  readonly leastCost?: number
  /** Where the last batches ended, team by team. Without it each looks from the beginning. */
  readonly resume?: { readonly cursors: KeyedCursors; readonly now: Date }
  /** Only events of these teams. Without it those of all teams. */
  readonly teams?: readonly string[]
  /** Nobody else takes events of this subscription: none is locked before it is taken, which is a write less. Should somebody do so, one waits for the other. */
  readonly isAlone?: boolean
  /** Whose subscriber is busy: less than their share is taken. */
  readonly backpressure?: Backpressure
  /** CTEs that `work` and `result` read. */
  readonly with?: Sql
  /** A statement that writes what follows from the events in `taken (team_id, event_id)`: the CTE `done`. */
  readonly work: Sql
  /** Selects what the caller learns of the work, with a column `team_id`. */
  readonly result?: Sql
}

/** How many events of each team are taken at most, as long as its oldest one came after `since`: what is older is taken all the same. */
export interface Backpressure {
  readonly limits: readonly { readonly team: string; readonly events: number }[]
  /** Of a team that is not in the list. */
  readonly otherLimit: number
  readonly since: Date
  /** Of `waiting.team_id`, a team that is in the list: whether its events wait for as long as it takes. */
  readonly isPatient?: Sql
}

export interface TakenBatch<Result> {
  readonly events: number
  /** Teams that may have more: their share, or their limit, was taken. */
  readonly cut: readonly string[]
  readonly hasMore: boolean
  /** It has looked at each team that it was to look at. */
  readonly isWhole: boolean
  readonly results: readonly Result[]
}

/**
 * Somebody who does something with events, each once. A trigger lists each event that it wants in a pending table of its own, in the transaction
 * of the event (`subscribe_to_outbox` in a migration says which); it takes events from there in the transaction that does its work. So no
 * event is passed by, in whatever order they commit, and none is dealt with twice.
 */
export class Subscription extends PendingEvents {
  /**
   * Takes events and does the work, in one statement: an event leaves the list together with what follows from it, or stays. Each team
   * that has pending events gets the same share of the statement, so that a million of one team do not hold up the others'. It walks from team to
   * team, an index probe each, past what was taken lately (`KeyedCursors`). Limits are part of the text: with one that could be anything
   * PostgreSQL plans at each call, which takes half a millisecond.
   */
  async takePending<Result extends object = never>(db: Database, batch: BatchWork): Promise<TakenBatch<Result>> {
    const { resume, result, teams } = batch
    const cursors = resume?.cursors ?? new KeyedCursors()
    const start = teams ? cursors.beginWith(teams) : cursors.begin()
    const begin = performance.now()
    const rows = await db.queryPooled<TakenOfTeam & Result>(this.#taking(batch, start.gaps))
    const tookMs = performance.now() - begin
    // A row for each result, with what is so of its team.
    const taken = result ? [...new Map(rows.map((row) => [row.team, row])).values()] : rows
    const isCut = ({ events, share }: TakenOfTeam) => events >= share
    const isWhole = (taken[0]?.teams ?? 0) < batch.events
    if (resume) {
      // The ids of a sandbox are in a time of its own.
      const found = taken
        .filter(({ team, last }) => last !== null && !isSandbox(team))
        .map((one) => ({ key: one.team, rows: one.events, isCut: isCut(one), latest: momentOf(one.last!) }))
      const passedOver = new Set(taken.filter(({ last }) => last === null).map(({ team }) => team))
      const isLookedAt = (team: string) => isWhole && !passedOver.has(team)
      cursors.finish(start, { found, isLookedAt, now: resume.now, tookMs })
    }
    const cut = taken.filter(isCut)
    return {
      events: taken.reduce((sum, { events }) => sum + events, 0),
      cut: cut.map(({ team }) => team),
      hasMore: cut.some(({ events }) => events > 0),
      isWhole,
      results: result ? rows.filter(({ hasResult }) => hasResult) : [],
    }
  }

  // Deleted by a list of places: a join with what is due is planned as a walk over the whole list, 424 µs for each event of a flood instead of 47.
  #taking(batch: BatchWork, gaps: readonly Gap[]): Sql {
    const { events, cost = sql`1.0`, leastCost = 0, isAlone = false, backpressure, with: ctes, work, result } = batch
    const { pending } = this
    const inIds = gaps.map(({ since, ...gap }) => ({ ...gap, since: since && firstIdAt(since) }))
    const max = raw(String(events))
    const share = sql`
      ceil(greatest(${raw(`${events}.0`)} / waiting.teams / greatest(1, waiting.cost), ${raw(String(leastCost))} / waiting.cost))`
    return sql.write`
      with waiting as materialized (
        select found.* from ${anyRowsOf(inIds, { above: 'uuid', below: 'uuid', since: 'uuid' }, 'gap')} cross join lateral (
          with recursive unknown (team_id, event_id) as (
            select gap.above, null::uuid
            union all
            select next.* from unknown cross join lateral (
              select n.team_id, n.event_id from ${pending} n where n.team_id > unknown.team_id and n.team_id < gap.below
              order by n.team_id, n.event_id limit 1) next)
          select team_id, event_id, null::uuid as since from unknown where event_id is not null
          union all
          (select n.team_id, n.event_id, gap.since from ${pending} n where n.team_id = gap.below and n.event_id >= gap.since
          order by n.event_id limit 1)) found),
      costly as (
        select waiting.*, ${cost} as cost, count(*) over () as teams from waiting),
      share as materialized (
        ${
          backpressure
            ? limitedShares(share, backpressure, max)
            : sql`
          select team_id, since, ${share}::int as events from costly waiting order by ${ORDER_OF_TIME} limit ${max}`
        }),
      due as materialized (
        select due.at
        from share
        cross join lateral (
          select n.ctid as at from ${pending} n where n.team_id = share.team_id and n.event_id >= coalesce(share.since, ${FIRST_ID})
          order by n.event_id limit share.events ${isAlone ? sql`` : sql`for update skip locked`}) due),
      taken as (
        delete from ${pending} n where n.ctid = any (array(select at from due))
        returning n.event_id, n.team_id),
      ${ctes ? sql`${ctes},` : sql``}
      done as (${work}),
      counted as (
        select team_id, count(*)::int as events, (array_agg(event_id order by event_id desc))[1] as last from taken group by team_id)
      select share.team_id as team, coalesce(counted.events, 0) as events, counted.last, share.events as share,
        (select count(*)::int from share) as teams ${result ? sql`, result.*, result.team_id is not null as "hasResult"` : sql``}
      from share left join counted on counted.team_id = share.team_id
      ${result ? sql`left join (${result}) result on result.team_id = share.team_id` : sql``}
      where counted.events > 0 or share.events = 0`
  }

  /** The ids of a team's oldest events that are to be dealt with. */
  async oldest(db: Queryable, team: string, limit: number): Promise<string[]> {
    const rows = await db.query<{ id: string }>(sql`
      select event_id as id from ${this.pending} where team_id = ${team} order by event_id limit ${limit}`)
    return rows.map(({ id }) => id)
  }

  /** The part of a statement that takes these off the list: the rest of it does what follows. */
  take(team: string, ids: readonly string[]): Sql {
    return sql.write`delete from ${this.pending} where team_id = ${team} and event_id = any (${ids}::uuid[])`
  }

  /** The event is too much for one transaction: it stays on the list, with how far its subscriber has got. */
  saveCursor(team: string, id: string, reached: string): Sql {
    return sql.write`update ${this.pending} set reached = ${reached} where team_id = ${team} and event_id = ${id}`
  }
}

/** Teams of which nothing is taken come last: they must not keep others out of the batch. */
const limitedShares = (share: Sql, backpressure: Backpressure, max: Sql): Sql => sql`
  select team_id, since, events from (
    select team_id, event_id, since, ${limited(share, backpressure)}::int as events
    from costly waiting ${limitRows(backpressure)}) limited
  order by events = 0, ${ORDER_OF_TIME} limit ${max}`

const limitRows = ({ limits }: Backpressure): Sql => sql`
  left join ${anyRowsOf(limits, { team: 'uuid', events: 'int' }, 'busy')} on busy.team = waiting.team_id`

/** Ids of a sandbox do not tell how old an event is. */
const limited = (share: Sql, { otherLimit, since, isPatient = sql`false` }: Backpressure): Sql => sql`
  case when is_sandbox(waiting.team_id)
      or waiting.event_id < (select ${firstIdAt(since)}::uuid) and (busy.events is null or not ${isPatient}) then ${share}
    else least(${share}, coalesce(busy.events, (select ${otherLimit}::int))) end`
