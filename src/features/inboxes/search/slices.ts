import { firstIdFrom } from '../../../platform/ids.ts'
import { SLICES, timeMark, timeOf } from '../filing/search-marks.ts'

/** Ids from one up to another, which is not part of it. */
export interface Range {
  readonly from: string
  readonly to: string
}

export const FIRST_ID = '00000000-0000-0000-0000-000000000000'
/** Behind every id of ours: they are of version 7. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Ids as text are in their order. */
export const firstOf = (one: string, other: string): string => [one, other].sort()[0]!
export const lastOf = (one: string, other: string): string => [one, other].sort()[1]!

const MAX_MARKS = 8
const MAX_RANGE_MS = 2 ** SLICES.at(-1)! * MAX_MARKS

/** Marks one of which each message of the inbox in this range has; messages a little out of it may have one, too. None: the range is too long. */
export function marksOf(inbox: string, { from, to }: Range): string[] {
  const [first, last] = [timeOf(from), timeOf(to)]
  const slice = SLICES.find((size) => Math.floor(last / 2 ** size) - Math.floor(first / 2 ** size) < MAX_MARKS)
  if (slice === undefined) return []
  const count = Math.floor(last / 2 ** slice) - Math.floor(first / 2 ** slice) + 1
  return Array.from({ length: count }, (_, index) => timeMark(inbox, slice, first + index * 2 ** slice))
}

/**
 * The piece of a range that is looked at next: what has been looked at was `from` to `to`, and now comes a time that is `growth` times as
 * long. What is longer than any marks of time reach is everything.
 */
export function nextRange(whole: Range, done: Range, isOlder: boolean, growth: number): Range {
  const ms = Math.max(1, timeOf(done.to) - timeOf(done.from)) * growth
  const isLast = ms > MAX_RANGE_MS
  if (isOlder) {
    const from = isLast ? whole.from : firstIdFrom(done.from, -ms)
    return { from: lastOf(from, whole.from), to: done.from }
  }
  const to = isLast ? whole.to : firstIdFrom(done.to, ms)
  return { from: done.to, to: firstOf(to, whole.to) }
}
