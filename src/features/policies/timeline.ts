/** Of a limit, in minutes. */
export const HOUR = 60
export const DAY = 24 * HOUR

const MINUTE_MS = 60_000

/** The minute of a moment, since 1970. */
export const minuteOf = (moment: Date): number => Math.floor(moment.getTime() / MINUTE_MS)

export const dateOf = (minute: number): Date => new Date(minute * MINUTE_MS)

/** How many emails leave in which minute: those that were sent, and those that are scheduled. */
export class Timeline {
  readonly #byMinute: Map<number, number>

  constructor(entries: Iterable<readonly [minute: number, emails: number]> = []) {
    this.#byMinute = new Map(entries)
  }

  add(minute: number, emails: number) {
    this.#byMinute.set(minute, emails + (this.#byMinute.get(minute) ?? 0))
  }

  /**
   * The most in any stretch of so many minutes that has this one in it, also in those that begin before and end after it: a mail that leaves now is in the same hour as one that is
   * scheduled for half an hour later. A stretch begins with a full minute, so it is a little too long and never too short.
   */
  fullest(minute: number, length: number): number {
    const near: [number, number][] = []
    let [before, isLast] = [0, true]
    for (const [at, emails] of this.#byMinute) {
      if (at < minute - length || at > minute + length) continue
      near.push([at, emails])
      if (at > minute) isLast = false
      else before += emails
    }
    // Most keys schedule nothing, and have a row for each minute of a day.
    return isLast ? before : fullestOf([...near, [minute, 0]], minute, length)
  }
}

/** The fullest stretch begins with something that leaves, or with the minute itself. */
function fullestOf(entries: [number, number][], minute: number, length: number): number {
  entries.sort(([one], [other]) => one - other)
  let [most, sum, end] = [0, 0, 0]
  for (const [at, emails] of entries) {
    if (at > minute) break
    for (; end < entries.length && entries[end]![0] <= at + length; end++) sum += entries[end]![1]
    most = Math.max(most, sum)
    sum -= emails
  }
  return most
}
