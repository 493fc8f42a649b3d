import type { Database, Queryable } from '../platform/db/database.ts'
import { rowsOf } from '../platform/db/rows.ts'
import { type Sql, sql } from '../platform/db/sql.ts'

/** The day of a moment, as usage is counted: from midnight to midnight UTC. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10)

/** Something that a team has used on a day. */
export interface Use {
  readonly team: string
  readonly day: string
  readonly count: number
  /** Of what is written together, the part that it belongs to. */
  readonly unit?: number
}

/**
 * The rows of a team's day that are counted in. A row is locked from the statement that counts until its commit: those who write at the
 * same time have rows of their own. Who writes for one team at a time anyway shares one.
 */
export const SLOTS = { broadcasts: 0, automations: 1, limited: 2, others: 3 } as const

/** Nodes have some slots each; beyond so many of them two may meet in one, and wait for each other. */
const NODES = 32

/** The slots of those in a process who write side by side, no more than so many at a time. */
export class UsageSlots {
  readonly #db: Database
  readonly #offset: number
  readonly #free: number[]
  static readonly #ofNode = 8

  /** `offset`: where those of other writers in this process end. */
  constructor(db: Database, { offset, writers }: { offset: number; writers: number }) {
    this.#db = db
    this.#offset = offset
    this.#free = Array.from({ length: writers }, (_, index) => index)
  }

  async use<Result>(work: (slot: number) => Promise<Result>): Promise<Result> {
    const writer = this.#free.pop() ?? 0
    const ofNode = (this.#db.presence.node % NODES) * UsageSlots.#ofNode
    try {
      return await work(SLOTS.others + ofNode + this.#offset + writer)
    } finally {
      this.#free.push(writer)
    }
  }
}

/** The part of a statement that counts recipients of mail that is sent. `units`: selects the units that are accepted, if not all are. */
export const insertSent = (uses: readonly Use[], slot: number, units?: Sql): Sql => sql`
  insert into team_usage (team_id, day, slot, sent) ${summed(uses, slot, units)}
  on conflict (team_id, day, slot) do update set sent = team_usage.sent + excluded.sent`

/** The part of a statement that counts messages that are received. */
export const insertReceived = (uses: readonly Use[], slot: number): Sql => sql`
  insert into team_usage (team_id, day, slot, received) ${summed(uses, slot)}
  on conflict (team_id, day, slot) do update set received = team_usage.received + excluded.received`

/** In the order of the key, so that two that count for the same teams do not wait for each other crosswise. */
const summed = (uses: readonly Use[], slot: number, units?: Sql): Sql => sql`
  select team, day::date, ${slot}::smallint, sum(count)
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
const KEEP_DAYS = 400

/**
 * Adds up the slots of days that are over, and forgets the oldest days. What comes late is counted in another slot of its day, and
 * added up the next time.
 */
export async function foldUsage(db: Database) {
  const now = db.clock.now().getTime()
  const before = (days: number) => dayOf(new Date(now - days * 86_400_000))
  await db.queryPooled(sql`
    with folded as (
      delete from team_usage where day < ${before(1)}::date and slot <> 0 returning *)
    insert into team_usage (team_id, day, slot, sent, received)
    select team_id, day, 0, sum(sent), sum(received) from folded group by team_id, day order by team_id, day
    on conflict (team_id, day, slot) do update
      set sent = team_usage.sent + excluded.sent, received = team_usage.received + excluded.received`)
  await db.queryPooled(sql`delete from team_usage where day < ${before(KEEP_DAYS)}::date`)
}
