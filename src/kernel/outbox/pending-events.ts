import type { Queryable } from '../db/database.ts'
import { raw, type Sql, sql } from '../db/sql.ts'

/** The list of events that a subscriber has still to deal with: a table with a team and an event in each row. */
export class PendingEvents {
  /** The table, for those who only read it. */
  readonly pending: Sql

  constructor(table: string) {
    this.pending = raw(table)
  }

  /** When the oldest event of the team happened that is to be dealt with. */
  async oldestAt(db: Queryable, team: string): Promise<Date | null> {
    const [row] = await db.query<{ at: Date }>(sql`
      select o.created_at as at from ${this.pending} n join outbox o on o.team_id = n.team_id and o.id = n.event_id
      where n.team_id = ${team} order by n.event_id limit 1`)
    return row?.at ?? null
  }

  /** The teams that have something to be dealt with. One after the other, so that it costs a look for each of them and not for each event. */
  async *teams(db: Queryable): AsyncGenerator<string> {
    for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
      const [next] = await db.query<{ team: string }>(sql`
        select team_id as team from ${this.pending} where team_id > ${last} order by team_id limit 1`)
      if (!next) return
      yield next.team
      last = next.team
    }
  }
}
