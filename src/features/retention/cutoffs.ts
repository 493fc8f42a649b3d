import type { Queryable } from '../../kernel/db/database.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { teamPending } from '../../kernel/outbox/events.ts'
import { type Period, periodsBefore } from '../../kernel/partitions/periods.ts'
import { boundAt, type Cut, momentOfBound } from '../../kernel/partitions/tables.ts'
import { longestPeriod } from '../../kernel/retention/team-periods.ts'
import type { Config } from '../../platform/settings/config.ts'
import { teamBroadcasting } from '../broadcasts/reads.ts'
import { teamUnderWay } from '../emails/reads.ts'
import { STOPPED_TEAMS } from '../teams/reads.ts'
import { teamDelivering } from '../webhooks/reads.ts'

// Which periods can go as a whole: those whose rows are past their time for every team, and of which nothing is needed any more.

/** A team that needs something of a period, though its time is over. */
const NEEDED_BY: Readonly<Record<Cut, (period: Period, moment: Date) => Sql>> = {
  // Mail counts from its end, wherever its id is. The progress of a broadcast is read from its emails.
  emails: (period, moment) => sql`coalesce(${teamUnderWay(period, moment)}, ${teamBroadcasting(period)})`,
  bodies: (period, moment) => teamUnderWay(period, moment),
  received: () => sql`null`,
  events: (period) => sql`coalesce(${teamPending(period)}, ${teamDelivering(period, STOPPED_TEAMS)})`,
  logs: () => sql`null`,
}

/** A period that stays, since a team needs something of it. */
export interface HeldPeriod extends Period {
  readonly team: string
  /** When its last row was past its time. */
  readonly expiredAt: Date
}

export interface ExpiredPeriods {
  readonly droppable: readonly Period[]
  readonly held: readonly HeldPeriod[]
}

/** The periods of a cut that are past their time for every team, oldest first. One that is held keeps itself and no other. */
export async function findExpired(db: Queryable, config: Config, cut: Cut): Promise<ExpiredPeriods> {
  const [droppable, held]: [Period[], HeldPeriod[]] = [[], []]
  const seconds = await longestPeriod(db, cut, config)
  if (!Number.isFinite(seconds)) return { droppable, held }
  const moment = new Date(db.clock.now().getTime() - seconds * 1_000)
  for (const period of await periodsBefore(db, cut, boundAt(moment))) {
    const [row] = await db.query<{ team: string | null }>(sql`select (${NEEDED_BY[cut](period, moment)})::text as team`)
    if (row!.team === null) droppable.push(period)
    else
      held.push({
        ...period,
        team: row!.team,
        expiredAt: new Date(momentOfBound(period.to).getTime() + seconds * 1_000),
      })
  }
  return { droppable, held }
}
