import { FIRST_SANDBOX_ID, firstIdAt, firstIdFrom, isSandbox, momentOf } from '../../platform/ids.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Window } from './page.ts'
import type { Rows } from './rows.ts'

/** A part of a list, by the ids of its items: from this one on, and before that one. Null: as far as the list goes. */
export interface IdRange {
  readonly from: string | null
  readonly to: string | null
}

const DAY_MS = 86_400_000
/** Of the first piece. The second has the rest: with more of them a list of few items would be asked for again and again. */
const FIRST_RANGE_PERIODS = 2

export const EVERYWHERE: IdRange = { from: null, to: null }
/** A list that is read in one go. */
const WHOLE: readonly IdRange[] = [EVERYWHERE]

/**
 * A table with partitions has one for each period, and a statement that names no bounds is planned over all of them: 2.8 times the work for
 * the first page of a year. So a page is looked for in the periods that are next to its cursor, and in the others only when these have
 * not enough. Ids of a sandbox are in a partition of their own.
 */
export function idRangesOf(
  { periods }: Pick<Rows, 'periods'>,
  { cursor, isNewer, team, now }: { cursor: Window['cursor']; isNewer: boolean; team: string; now: Date },
): readonly IdRange[] {
  if (!periods || isSandbox(team) || (isNewer && cursor === null)) return WHOLE
  const start = startOf(cursor ?? periods.before ?? null, now)
  const length = FIRST_RANGE_PERIODS * periods.days * DAY_MS
  const end = isNewer ? start + length : start - length
  // What is newer than now is of somebody whose clock is ahead.
  if (end <= 0 || (isNewer && end >= now.getTime())) return WHOLE
  const bound = firstIdAt(new Date(end))
  const pieces = [
    { from: bound, to: null },
    { from: null, to: bound },
  ]
  return isNewer ? pieces.reverse() : pieces
}

/** A piece with the cursor as its bound on the other side. */
export const upTo = (cursor: string | null, { from, to, isNewer }: IdRange & { readonly isNewer: boolean }): IdRange =>
  isNewer ? { from: from ?? cursor, to } : { from, to: to ?? cursor }

/** The part of a piece that has these ids, which are in the order that it is read in, and what is behind them. */
export function splitBehind(
  ids: readonly [string, ...string[]],
  { from, to, isNewer }: IdRange & { readonly isNewer: boolean },
): { part: IdRange; rest: IdRange } {
  const [first, last] = [ids[0], ids.at(-1)!]
  const [lowest, highest] = isNewer ? [first, last] : [last, first]
  const end = firstIdFrom(highest, 1)
  const part = { from: lowest, to: to !== null && to < end ? to : end }
  return { part, rest: isNewer ? { from: part.to, to } : { from, to: part.from } }
}

/** A condition on an id, to follow others. */
export const within = (id: Sql, { from, to }: IdRange): Sql => sql`
  ${from === null ? sql`` : sql`and ${id} >= ${from}`} ${to === null ? sql`` : sql`and ${id} < ${to}`}`

/** A cursor may be any UUID: what is behind the present begins there. */
function startOf(id: string | null, now: Date): number {
  if (id === null || id >= FIRST_SANDBOX_ID) return now.getTime()
  return Math.min(momentOf(id).getTime(), now.getTime())
}
