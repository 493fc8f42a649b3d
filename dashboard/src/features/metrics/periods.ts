import type { Reply } from '../../api.ts'

export interface Range {
  readonly name: string
  readonly label: string
  readonly days: number
  readonly granularity: 'hourly' | 'daily'
}

export const RANGES: readonly Range[] = [
  { name: 'day', label: 'Last 24 hours', days: 1, granularity: 'hourly' },
  { name: 'week', label: 'Last 7 days', days: 6, granularity: 'daily' },
  { name: 'month', label: 'Last 30 days', days: 29, granularity: 'daily' },
  { name: 'quarter', label: 'Last 90 days', days: 89, granularity: 'daily' },
]

export const rangeOf = (name: string | undefined): Range => RANGES.find((range) => range.name === name) ?? RANGES[1]!

export type Metrics = Reply<'emails.metrics'>
export type MetricsRow = NonNullable<Metrics['data']>[number]

const HOUR = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })

/** Every period of the range, also those in which nothing happened: the API leaves them out. */
export function periodsOf({ data = [] }: Metrics, { days, granularity }: Range) {
  const isHourly = granularity === 'hourly'
  const label = (date: Date) => (isHourly ? HOUR : DAY).format(date)
  const byLabel = new Map(data.map((row) => [label(new Date(String(row.period))), row]))
  const count = isHourly ? 24 * days + 1 : days + 1
  const labels = Array.from({ length: count }, (_, index) => {
    const date = new Date()
    if (isHourly) date.setHours(date.getHours() - (count - 1 - index), 0, 0, 0)
    else date.setDate(date.getDate() - (count - 1 - index))
    return label(date)
  })
  // The hour of yesterday has the name of today's: the newer one is meant.
  const distinct = [...new Set(labels.toReversed())].toReversed()
  return { labels: distinct, rows: distinct.map((one): MetricsRow => byLabel.get(one) ?? {}) }
}
