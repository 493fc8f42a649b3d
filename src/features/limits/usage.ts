import { randomInt } from 'node:crypto'
import type { Database, Queryable } from '../../kernel/db/database.ts'
import { rowsOf } from '../../kernel/db/rows.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import type { Clock } from '../../platform/clock.ts'

/** The day of a moment, as usage is counted: from midnight to midnight UTC. */
export function dayOf(moment: Date): string {
  const number = Math.floor(moment.getTime() / DAY_MS)
  // Asked for twice with each email, and mostly of today: a date as text takes 6 µs.
  if (number !== lastDay.number) lastDay = { number, text: moment.toISOString().slice(0, 10) }
  return lastDay.text
}

const DAY_MS = 86_400_000
let lastDay = { number: Number.NaN, text: '' }

/** Something that a team has used on a day. */
export interface Use {
  readonly team: string
  readonly day: string
  readonly count: number
  /** Of what is written together, the part that it belongs to. */
  readonly unit?: number
}

/** What was added up. */
const FOLDED = 0
/** Slots of one minute. */
const SLOTS_PER_MINUTE = 1_000
const MAX_USES = 100

const minuteOf = (now: Date) => Math.floor(now.getTime() / 60_000) % 1_000_000

/**
 * Where a writer counts: a row of a team's day that is its own. A row is locked from the statement that counts until its commit, so those
 * who write at the same time have different ones. It is changed for another one every minute, and after a hundred writes: each write
 * leaves a version of the row behind, which a backup keeps, and the next one walks through all of them. 2,000 versions took 700 µs.
 */
export class UsageSlot {
  #slot = FOLDED
  #minute = -1
  #uses = 0

  at(now: Date): number {
    const minute = minuteOf(now)
    if (minute !== this.#minute || this.#uses >= MAX_USES) {
      this.#slot = minute * SLOTS_PER_MINUTE + randomInt(1, SLOTS_PER_MINUTE)
      this.#minute = minute
      this.#uses = 0
    }
    this.#uses++
    return this.#slot
  }
}

/** The slots of those in a process who write side by side. */
export class UsageSlots {
  readonly #clock: Clock
  readonly #free: UsageSlot[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async use<Result>(work: (slot: number) => Promise<Result>): Promise<Result> {
    const slot = this.#free.pop() ?? new UsageSlot()
    try {
      return await work(slot.at(this.#clock.now()))
    } finally {
      this.#free.push(slot)
    }
  }
}

/** The part of a statement that counts recipients of mail that is sent. `units`: selects the units that are accepted, if not all are. */
export const insertSent = (uses: readonly Use[], slot: number, units?: Sql): Sql => sql.write`
  insert into team_usage (team_id, day, slot, sent) ${summed(uses, slot, units)}
  on conflict (team_id, day, slot) do update set sent = team_usage.sent + excluded.sent`

/** The part of a statement that counts messages that are received. */
export const insertReceived = (uses: readonly Use[], slot: number): Sql => sql.write`
  insert into team_usage (team_id, day, slot, received) ${summed(uses, slot)}
  on conflict (team_id, day, slot) do update set received = team_usage.received + excluded.received`

/** In the order of the key, so that two that count for the same teams do not wait for each other crosswise. */
const summed = (uses: readonly Use[], slot: number, units?: Sql): Sql => sql`
  select team, day::date, ${slot}::int, sum(count)
  from ${rowsOf(uses, { team: 'uuid', day: 'text', count: 'int', unit: 'int' }, 'used')}
  ${units ? sql`where unit in (${units})` : sql``}
  group by team, day order by team, day`

/** Uses of the same team and day as one. */
export function together(uses: readonly Use[]): Use[] {
  const byKey = new Map<string, Use>()
  for (const { team, day, count } of uses) {
    const key = `${team} ${day}`
    byKey.set(key, { team, day, count: count + (byKey.get(key)?.count ?? 0) })
  }
  return [...byKey.values()]
}

/** What a team has sent and received on a day, and in the month of that day up to now. */
export interface Used {
  readonly team: string
  readonly daily: { readonly sent: number; readonly received: number }
  readonly monthly: { readonly sent: number; readonly received: number }
}

export const readUsed = (db: Queryable, days: readonly { team: string; day: string }[]): Promise<Used[]> =>
  db.query<Used>(sql`
    select used.team,
      json_build_object(
        'sent', coalesce(sum(u.sent) filter (where u.day = used.day::date), 0),
        'received', coalesce(sum(u.received) filter (where u.day = used.day::date), 0)) as daily,
      json_build_object('sent', coalesce(sum(u.sent), 0), 'received', coalesce(sum(u.received), 0)) as monthly
    from ${rowsOf(days, { team: 'uuid', day: 'text' }, 'used')}
    left join team_usage u on u.team_id = used.team and u.day >= date_trunc('month', used.day::date)::date
      and u.day < (date_trunc('month', used.day::date) + interval '1 month')::date
    group by used.team`)

/** For how long the days of a team are kept. */
const RETENTION_DAYS = 400

const FOLD_ROWS = 1_000

/**
 * Adds up what was counted in slots that nobody uses any more, and returns whether there may be more. In small parts, and past what
 * somebody has locked after all.
 */
export async function foldSome(db: Database): Promise<boolean> {
  const minute = minuteOf(db.clock.now())
  const rows = await db.queryPooled(sql.write`
    with over as materialized (
      select team_id, day, slot from team_usage
      where slot <> 0 and slot / ${SLOTS_PER_MINUTE} <> all (${[minute - 1, minute, minute + 1]}::int[])
      limit ${FOLD_ROWS} for update skip locked),
    taken as (
      delete from team_usage u using over
      where u.team_id = over.team_id and u.day = over.day and u.slot = over.slot
      returning u.team_id, u.day, u.sent, u.received),
    folded as (
      insert into team_usage (team_id, day, slot, sent, received)
      select team_id, day, ${FOLDED}, sum(sent), sum(received) from taken group by team_id, day order by team_id, day
      on conflict (team_id, day, slot) do update
        set sent = team_usage.sent + excluded.sent, received = team_usage.received + excluded.received)
    select 1 from over`)
  return rows.length === FOLD_ROWS
}

export const deleteOldUsage = (db: Database) =>
  db.queryPooled(sql.write`
    delete from team_usage where day < ${dayOf(new Date(db.clock.now().getTime() - RETENTION_DAYS * 86_400_000))}::date`)
