import { keepPreviousData } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useCall } from '../../queries.ts'
import { Chart, type Series } from '../../ui/chart.tsx'
import { useChoices } from '../../ui/choices.ts'
import { formatPercent } from '../../ui/locale.ts'
import { Card, Page } from '../../ui/page.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { useTick } from '../../ui/tick.ts'
import { Breakdown } from './breakdown.tsx'
import { COMPLAINT_LIMIT, COMPLAINT_TARGET } from './complaint-rate.tsx'
import { Figures } from './figures.tsx'
import { type Metrics, type MetricsRow, periodsOf, QUARTER_MS, RANGES, type Range, rangeOf, rowsOf } from './periods.ts'
import { texts } from './texts.ts'

const COMPLAINT_LIMITS = [
  { value: COMPLAINT_TARGET, label: texts.charts.complaintTarget },
  { value: COMPLAINT_LIMIT, label: texts.charts.complaintLimit },
]

const CHOICES = RANGES.map(({ name, label }) => ({ value: name, label }))

export function MetricsPage() {
  const { range: name, domain_id } = useSearch({ from: '/metrics' })
  const range = rangeOf(name)
  const periods = usePeriods(range)
  const domains = useChoices('domains.list')
  const asked = {
    granularity: range.granularity,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    dimensions: 'period',
    domain_id,
  }
  const since = periods.starts[0]!.toISOString()
  const metrics = useCall('emails.metrics', { ...asked, start_date: since }, { placeholderData: keepPreviousData })
  const previous = useCall('emails.metrics', {
    ...asked,
    start_date: periods.previous[0]!.toISOString(),
    end_date: periods.previousEnd.toISOString(),
  })
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <SearchSelect
            name="domain_id"
            label={texts.filters.domain}
            none={texts.filters.allDomains}
            options={domains}
          />
          <SearchSelect name="range" label={texts.filters.range} otherwise={range.name} options={CHOICES} />
        </>
      }
    >
      {metrics.isPending && <Loading />}
      {metrics.isError && <Failed error={metrics.error} onRetry={() => metrics.refetch()} />}
      {metrics.data && (
        <>
          <Figures totals={metrics.data.totals} before={previous.data?.totals} since={since} />
          <Charts periods={periods} metrics={metrics.data} previous={previous.data} />
        </>
      )}
      <Breakdown query={{ start_date: since, timezone: asked.timezone }} />
    </Page>
  )
}

/** They move on every quarter of an hour, and not with each rendering: what is asked would never be the same. */
function usePeriods(range: Range) {
  useTick()
  const quarter = Math.floor(Date.now() / QUARTER_MS)
  // A moment within the quarter, so that it counts as begun.
  return useMemo(() => periodsOf(range, new Date(quarter * QUARTER_MS + 1)), [range, quarter])
}

interface ChartsProps {
  readonly periods: ReturnType<typeof periodsOf>
  readonly metrics: Metrics
  readonly previous: Metrics | undefined
}

function Charts({ periods, metrics, previous }: ChartsProps) {
  const { labels } = periods
  const rows = rowsOf(metrics, periods.starts)
  const previousRows = previous && rowsOf(previous, periods.previous)
  // A share of nothing is not zero.
  const valueIn = (row: MetricsRow, metric: string) =>
    metric.endsWith('_rate') && !row.sent ? null : Number(row[metric] ?? 0)
  const line = (name: string, metric: string, tone: Series['tone']): Series => ({
    name,
    tone,
    values: rows.map((row) => valueIn(row, metric)),
  })
  /** The one of a chart that is compared: with all of them there would be eight lines. */
  const comparedLine = (...[name, metric, tone]: Parameters<typeof line>): Series => ({
    ...line(name, metric, tone),
    previous: previousRows?.map((row) => valueIn(row, metric)),
  })
  const { sent, delivered, bounced, delayed, opened, clicked, complained } = texts.metrics
  return (
    <>
      <Card>
        <Chart
          title={texts.charts.volume}
          labels={labels}
          series={[
            comparedLine(sent, 'sent', 'busy'),
            line(delivered, 'delivered', 'good'),
            line(bounced, 'bounced', 'bad'),
            line(delayed, 'delivery_delayed', 'warn'),
          ]}
        />
      </Card>
      <div className="columns even">
        <Card>
          <Chart
            title={texts.charts.delivery}
            format={formatPercent}
            labels={labels}
            series={[comparedLine(delivered, 'delivery_rate', 'good'), line(bounced, 'bounce_rate', 'bad')]}
          />
        </Card>
        <Card>
          <Chart
            title={texts.charts.engagement}
            format={formatPercent}
            labels={labels}
            series={[comparedLine(opened, 'open_rate', 'busy'), line(clicked, 'click_rate', 'warn')]}
          />
        </Card>
      </div>
      <Card>
        <Chart
          title={texts.charts.complaints}
          format={formatPercent}
          labels={labels}
          series={[comparedLine(complained, 'complaint_rate', 'bad')]}
          limits={COMPLAINT_LIMITS}
        />
      </Card>
    </>
  )
}
