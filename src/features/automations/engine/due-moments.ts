import type { DueMoments, Span } from '../../../kernel/db/due-moments.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { AUTOMATIONS_CHANNEL } from './channel.ts'

const within = ({ from, to }: Span) => sql`r.due_at between ${from} and ${to}`

/** What the clock of a sandbox has to do with its automations. */
export const dueRuns: DueMoments = {
  channel: AUTOMATIONS_CHANNEL,
  first: (team, from) => sql`(
    select r.due_at from automation_runs r where r.team_id = ${team} and r.due_at >= ${from} order by r.due_at limit 1)`,
  last: (team, span) => sql`(
    select r.due_at from automation_runs r where r.team_id = ${team} and ${within(span)} order by r.due_at desc limit 1)`,
  move: (team, span, { by, when }) => [
    sql.write`update automation_runs r set due_at = r.due_at + ${by} where r.team_id = ${team} and ${within(span)} and ${when}`,
  ],
}
