import type { Reply } from '../../api.ts'
import { dateFormat } from '../../ui/locale.ts'
import { texts } from './texts.ts'

export interface Range {
  readonly name: string
  readonly label: string
  readonly days: number
  readonly granularity: 'hourly' | 'daily'
}

export const RANGES: readonly Range[] = [
  { name: 'day', label: texts.last24Hours, days: 1, granularity: 'hourly' },
  { name: 'week', label: texts.last7Days, days: 6, granularity: 'daily' },
  { name: 'month', label: texts.last30Days, days: 29, granularity: 'daily' },
  { name: 'quarter', label: texts.last90Days, days: 89, granularity: 'daily' },
]

export const rangeOf = (name: string | undefined): Range => RANGES.find((range) => range.name === name) ?? RANGES[1]!

export type Metrics = Reply<'emails.metrics'>
export type MetricsRow = NonNullable<Metrics['data']>[number]

const HOUR = dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const DAY = dateFormat({ month: 'short', day: 'numeric' })

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
