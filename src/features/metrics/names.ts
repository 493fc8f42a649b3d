/**
 * What is counted: emails, each once, at the moment when it happened to them first. So periods add up to their totals. `opened`
 * and `clicked` count every time that a person did it.
 */
export const COUNTS = [
  'received',
  'delivered',
  'complained',
  'suppressed',
  'bounced',
  'bounced_transient',
  'bounced_permanent',
  'bounced_undetermined',
  'opened',
  'clicked',
  'unsubscribed',
  'delivery_delayed',
  'failed',
  'sent',
  'unique_opened',
  'unique_clicked',
] as const

export type Count = (typeof COUNTS)[number]

/** Percentages, each of one count in another. */
export const RATES = {
  delivery_rate: ['delivered', 'sent'],
  open_rate: ['unique_opened', 'delivered'],
  click_rate: ['unique_clicked', 'delivered'],
  bounce_rate: ['bounced', 'sent'],
  complaint_rate: ['complained', 'delivered'],
  unsubscribe_rate: ['unsubscribed', 'delivered'],
} as const satisfies Record<string, readonly [Count, Count]>

export type Rate = keyof typeof RATES
export type Metric = Count | Rate

export const METRICS: readonly Metric[] = [...COUNTS, ...(Object.keys(RATES) as Rate[])]
export const DIMENSIONS = ['period', 'domain', 'email', 'broadcast'] as const
export type Dimension = (typeof DIMENSIONS)[number]

/** The unit of PostgreSQL's date_trunc behind each, and about how long one is. */
export const GRANULARITIES = {
  hourly: { unit: 'hour', days: 1 / 24 },
  daily: { unit: 'day', days: 1 },
  weekly: { unit: 'week', days: 7 },
  monthly: { unit: 'month', days: 30 },
} as const

export type Granularity = keyof typeof GRANULARITIES

type Counts = Readonly<Partial<Record<Count, number | null>>>

/** The wanted metrics of some counts. */
export const metricsOf = (counts: Counts, wanted: readonly Metric[]): Record<string, number> =>
  Object.fromEntries(
    wanted.map((metric) => [
      metric,
      metric in RATES ? percentage(counts, metric as Rate) : (counts[metric as Count] ?? 0),
    ]),
  )

function percentage(counts: Counts, rate: Rate): number {
  const [part, whole] = RATES[rate]
  const base = counts[whole] ?? 0
  return base === 0 ? 0 : Math.round(((counts[part] ?? 0) / base) * 10_000) / 100
}
