import type { Database } from '../../kernel/db/database.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { arePending } from '../../kernel/outbox/events.ts'
import { type Period, periodsBefore } from '../../kernel/partitions/periods.ts'
import { boundAt, type Cut } from '../../kernel/partitions/tables.ts'
import { longestPeriod } from '../../kernel/retention/team-periods.ts'
import type { Config } from '../../platform/settings/config.ts'
import { isBroadcasting } from '../broadcasts/reads.ts'
import { isUnderWay } from '../emails/reads.ts'
import { STOPPED_TEAMS } from '../teams/reads.ts'
import { isDelivering } from '../webhooks/reads.ts'

// Which periods can go as a whole: those whose rows are past their time for every team, and of which nothing is needed any more.

/** A condition: something of a period is needed, though its time is over. */
const NEEDED: Readonly<Record<Cut, (period: Period, moment: Date) => Sql>> = {
  // Mail counts from its end, wherever its id is. The progress of a broadcast is read from its emails.
  emails: (period, moment) => sql`${isUnderWay(period, moment)} or ${isBroadcasting(period)}`,
  bodies: (period, moment) => isUnderWay(period, moment),
  received: () => sql`false`,
  events: (period) => sql`${arePending(period.to)} or ${isDelivering(period, STOPPED_TEAMS)}`,
  logs: () => sql`false`,
}

/** The periods that go, oldest first. */
export async function findDroppable(db: Database, config: Config, cut: Cut): Promise<Period[]> {
  const seconds = await longestPeriod(db, cut, config)
  if (!Number.isFinite(seconds)) return []
  const moment = new Date(db.clock.now().getTime() - seconds * 1_000)
  const droppable: Period[] = []
  for (const period of await periodsBefore(db, cut, boundAt(moment))) {
    const [row] = await db.queryPooled<{ isNeeded: boolean }>(sql`select ${NEEDED[cut](period, moment)} as "isNeeded"`)
    if (row!.isNeeded) break
    droppable.push(period)
  }
  return droppable
}
