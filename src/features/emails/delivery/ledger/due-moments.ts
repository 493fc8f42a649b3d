import type { DueMoments, Span } from '../../../../kernel/db/due-moments.ts'
import { FIRST_VIRTUAL } from '../../../../kernel/db/moments.ts'
import { type Sql, sql } from '../../../../kernel/db/sql.ts'
import { DELIVERIES_CHANNEL } from './queries.ts'

// What the clock of a sandbox has to do with the ledger.

/** The condition of the index. */
const waiting = (team: Sql): Sql => sql`
  d.team_id = ${team} and d.state = 'waiting' and d.suspended_at is null and is_sandbox(d.team_id)`

const within = ({ from, to }: Span): Sql => sql`d.due_at between ${from} and ${to}`

export const dueDeliveries: DueMoments = {
  channel: DELIVERIES_CHANNEL,
  first: (team, from) =>
    sql`(select d.due_at from deliveries d where ${waiting(team)} and d.due_at >= ${from} order by d.due_at limit 1)`,
  last: (team, span) => sql`(
    select d.due_at from deliveries d where ${waiting(team)} and ${within(span)} order by d.due_at desc limit 1)`,
  // In the order in which others lock them. The planner must not count the team's rows: see `anyTeam`.
  move: (team, span, { by, when }) => [
    sql.write`
    update deliveries d set due_at = d.due_at + ${by}
    from (
      select d.email_id, d.position from deliveries d
      where ${waiting(team)} and ${within(span)} and d.holder is null and ${when}
      order by d.email_id, d.position for update) moved
    where d.state = 'waiting' and d.team_id = (select ${team}) and d.email_id = moved.email_id and d.position = moved.position`,
  ],
  // When mail is given up that was written down in real time.
  moveEnds: (team, by) => [
    sql.write`update deliveries d set give_up_at = d.give_up_at + ${by} where ${waiting(team)} and d.give_up_at < ${FIRST_VIRTUAL}`,
  ],
}
