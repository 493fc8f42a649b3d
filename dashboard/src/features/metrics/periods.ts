import type { Reply } from '../../api.ts'
import { dateFormat } from '../../ui/locale.ts'
import { texts } from './texts.ts'

export interface Range {
  readonly name: string
  readonly label: string
  /** How many hours or days it has; the last is this one, which goes on. */
  readonly count: number
  readonly granularity: 'hourly' | 'daily'
}

export const RANGES: readonly Range[] = [
  { name: 'day', label: texts.ranges.day, count: 24, granularity: 'hourly' },
  { name: 'week', label: texts.ranges.week, count: 7, granularity: 'daily' },
  { name: 'month', label: texts.ranges.month, count: 30, granularity: 'daily' },
  { name: 'quarter', label: texts.ranges.quarter, count: 90, granularity: 'daily' },
]

export const rangeOf = (name: string | undefined): Range => RANGES.find((range) => range.name === name) ?? RANGES[1]!

export type Metrics = Reply<'emails.metrics'>
export type MetricsRow = NonNullable<Metrics['data']>[number]

const HOUR_MS = 3_600_000
/** Hours of every zone begin with one of them, and the API counts by them. */
export const QUARTER_MS = 900_000
const HOUR = dateFormat({ hour: 'numeric', minute: '2-digit' })
const DAY = dateFormat({ month: 'short', day: 'numeric' })

/** The hours or days of a range, by their beginning in the reader's zone, and as many just before them. */
export function periodsOf({ count, granularity }: Range, now: Date) {
  const isHourly = granularity === 'hourly'
  const thisHour = new Date(now).setMinutes(0, 0, 0)
  // Days by the calendar: those of a change to summer time have 23 hours.
  const startOf = (index: number) =>
    isHourly ? new Date(thisHour + index * HOUR_MS) : new Date(now.getFullYear(), now.getMonth(), now.getDate() + index)
  const startsFrom = (first: number) => Array.from({ length: count }, (_, index) => startOf(first + index))
  const starts = startsFrom(1 - count)
  const previous = startsFrom(1 - 2 * count)
  // The last of them has only begun: as much of the one before is compared with it, to the quarter of an hour.
  const elapsedMs = Math.ceil(now.getTime() / QUARTER_MS) * QUARTER_MS - starts[0]!.getTime()
  return {
    starts,
    previous,
    previousEnd: new Date(Math.min(previous[0]!.getTime() + elapsedMs, starts[0]!.getTime()) - 1),
    labels: starts.map((start) => (isHourly ? HOUR : DAY).format(start)),
  }
}

/** A row for each period, also for those in which nothing happened: the API leaves them out. */
export function rowsOf({ data = [] }: Metrics, starts: readonly Date[]): readonly MetricsRow[] {
  const byStart = new Map(data.map((row) => [new Date(String(row.period)).getTime(), row]))
  return starts.map((start) => byStart.get(start.getTime()) ?? {})
}
