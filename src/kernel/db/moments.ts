import { type Clock, FRAME_MS } from '../../platform/clock.ts'
import { isSandbox } from '../../platform/ids.ts'
import { raw, type Sql, sql } from './sql.ts'

/** So many milliseconds as an interval. Exact: what is a day or a month depends on the calendar, hours and seconds do not. */
export function interval(ms: number): Sql {
  const hours = Math.trunc(ms / 3_600_000)
  return sql`${`${hours} hours ${((ms - hours * 3_600_000) / 1_000).toFixed(3)} seconds`}::interval`
}

/** The difference of two moments, as exact as that: to the millisecond, and in a part that no calendar touches. */
export const exactly = (difference: Sql): Sql =>
  sql`(interval '1 millisecond' * round(extract(epoch from ${difference}) * 1000)::float8)`

/** What is due from here on is due in the future of a sandbox (see `FRAME_MS`). */
export const FRAMED = raw(`timestamptz '${new Date(FRAME_MS).toISOString()}'`)
/** See `FRAME_MS`. */
export const FRAME = raw(`interval '${FRAME_MS / 3_600_000} hours'`)

/** A moment that is kept as due, in the time of the team that looks at it. */
export function shownMoment(clock: Clock, team: string, moment: Sql): Sql {
  const now = clock.now()
  const aheadMs = clock.of(team).fromReal(now).getTime() - now.getTime()
  if (isSandbox(team))
    return sql`case when ${moment} >= ${FRAMED} then ${moment} - ${FRAME} else ${moment} + ${interval(aheadMs)} end`
  return aheadMs === 0 ? moment : sql`(${moment} + ${interval(aheadMs)})`
}
