import type { DueMoments, Span } from '../db/due-moments.ts'
import { type Sql, sql } from '../db/sql.ts'
import { JOBS_CHANNEL } from './queries.ts'

/** Those of a sandbox, but for what is about the end of a team: that comes in real time. */
const waiting = (team: Sql): Sql => sql`
  j.payload ->> 'team' = ${team}::text and j.failed_at is null and substr(j.payload ->> 'team', 15, 1) = '8'
  and j.name <> all (array['teams.delete'])`

const within = ({ from, to }: Span): Sql => sql`j.run_at between ${from} and ${to}`

/** What the clock of a sandbox has to do with its jobs. */
export const dueJobs: DueMoments = {
  channel: JOBS_CHANNEL,
  first: (team, from) =>
    sql`(select j.run_at from jobs j where ${waiting(team)} and j.run_at >= ${from} order by j.run_at limit 1)`,
  last: (team, span) => sql`(
    select j.run_at from jobs j where ${waiting(team)} and ${within(span)} order by j.run_at desc limit 1)`,
  move: (team, span, { by, when }) => [
    sql.write`
    update jobs j set run_at = j.run_at + ${by}
    where ${waiting(team)} and ${within(span)} and j.holder is null and ${when}`,
  ],
}
