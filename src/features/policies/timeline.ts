/** Of a limit, in minutes. */
export const HOUR_MINUTES = 60
export const DAY_MINUTES = 24 * HOUR_MINUTES

const MINUTE_MS = 60_000

/** The minute of a moment, since 1970. */
export const minuteOf = (moment: Date): number => Math.floor(moment.getTime() / MINUTE_MS)

export const dateOf = (minute: number): Date => new Date(minute * MINUTE_MS)

/** How many emails leave in which minute: those that were sent, and those that are scheduled. */
export class Timeline {
  /** In their order, with what leaves in each. */
  readonly #minutes: number[]
  readonly #emails: number[]

  constructor(entries: Iterable<readonly [minute: number, emails: number]> = []) {
    const sorted = [...entries].sort(([one], [other]) => one - other)
    this.#minutes = sorted.map(([minute]) => minute)
    this.#emails = sorted.map(([, emails]) => emails)
  }

  add(minute: number, emails: number) {
    const place = this.#placeOf(minute)
    if (this.#minutes[place] === minute) this.#emails[place]! += emails
    else {
      this.#minutes.splice(place, 0, minute)
      this.#emails.splice(place, 0, emails)
    }
  }

  /**
   * The most in any stretch of so many minutes that has one of these in it, also in those that begin before and end after it: a mail that leaves now is in the same hour as one that
   * is scheduled for half an hour later. A stretch begins with a full minute, so it is a little too long and never too short. All of them are looked at in one go: a
   * request has a hundred minutes, and a key that schedules much has an entry for each of a month.
   */
  fullest(minutes: readonly number[], length: number): number {
    const [first, ...others] = [...new Set(minutes)].sort((one, other) => one - other)
    if (first === undefined) return 0
    // The fullest stretch begins with something that leaves, or with one of them.
    for (const minute of [first, ...others]) this.add(minute, 0)
    const [starts, emails] = [this.#minutes, this.#emails]
    let end = this.#placeOf(first - length)
    let near: number | undefined = first
    let most = 0
    let sum = 0
    for (let begin = end; begin < starts.length; begin++) {
      const from = starts[begin]!
      while (near !== undefined && near < from) near = others.shift()
      if (near === undefined) break
      for (; end < starts.length && starts[end]! <= from + length; end++) sum += emails[end]!
      if (near <= from + length && sum > most) most = sum
      sum -= emails[begin]!
    }
    return most
  }

  /** Of the first that is not before this one. */
  #placeOf(minute: number): number {
    let [low, high] = [0, this.#minutes.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#minutes[middle]! < minute) low = middle + 1
      else high = middle
    }
    return low
  }
}
