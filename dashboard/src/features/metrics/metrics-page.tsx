import { keepPreviousData } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useCall } from '../../queries.ts'
import { Chart, type Series } from '../../ui/chart.tsx'
import { useChoices } from '../../ui/choices.ts'
import { Card, Page } from '../../ui/page.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Breakdown } from './breakdown.tsx'
import { Figures } from './figures.tsx'
import { type Metrics, periodsOf, RANGES, type Range, rangeOf } from './periods.ts'
import { texts } from './texts.ts'

const CHOICES = RANGES.map(({ name, label }) => ({ value: name, label }))

export function MetricsPage() {
  const { range: name, domain_id } = useSearch({ from: '/metrics' })
  const range = rangeOf(name)
  const domains = useChoices('domains.list')
  const metrics = useCall(
    'emails.metrics',
    { ...queryOf(range), dimensions: 'period', domain_id },
    { placeholderData: keepPreviousData },
  )
  const before = useCall('emails.metrics', { ...rangeBefore(range), domain_id })
  return (
    <Page
      title={texts.metrics}
      actions={
        <>
          <SearchSelect name="domain_id" label={texts.domain} none={texts.allDomains} options={domains} />
          <SearchSelect name="range" label={texts.range} otherwise={range.name} options={CHOICES} />
        </>
      }
    >
      {metrics.isPending && <Loading />}
      {metrics.isError && <Failed error={metrics.error} onRetry={() => metrics.refetch()} />}
      {metrics.data && (
        <>
          <Figures totals={metrics.data.totals} before={before.data?.totals} since={queryOf(range).start_date} />
          <Charts metrics={metrics.data} range={range} />
        </>
      )}
      <Breakdown query={queryOf(range)} />
    </Page>
  )
}

const queryOf = ({ days, granularity }: Range) => ({
  start_date: new Date(Date.now() - days * 86_400_000)
    .toISOString()
    .slice(0, granularity === 'hourly' ? 13 : 10)
    .concat(granularity === 'hourly' ? ':00:00Z' : ''),
  granularity,
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
})

/** As long as the range, and just before it. */
function rangeBefore(range: Range): { start_date: string; end_date: string } {
  const start = new Date(queryOf(range).start_date).getTime()
  const end = new Date(start - 1)
  return { start_date: new Date(start - (Date.now() - start)).toISOString(), end_date: end.toISOString() }
}

function Charts({ metrics, range }: { metrics: Metrics; range: Range }) {
  const { labels, rows } = periodsOf(metrics, range)
  const line = (name: string, metric: string, tone: Series['tone']): Series => ({
    name,
    tone,
    // A share of nothing is not zero.
    values: rows.map((row) => (metric.endsWith('_rate') && !row.sent ? null : Number(row[metric] ?? 0))),
  })
  return (
    <>
      <Card>
        <Chart
          title={texts.volume}
          labels={labels}
          series={[
            line(texts.sent, 'sent', 'busy'),
            line(texts.delivered, 'delivered', 'good'),
            line(texts.bounced, 'bounced', 'bad'),
            line(texts.delayed, 'delivery_delayed', 'warn'),
          ]}
        />
      </Card>
      <div className="columns even">
        <Card>
          <Chart
            title={texts.deliveryBounces}
            unit="%"
            labels={labels}
            series={[line(texts.delivered, 'delivery_rate', 'good'), line(texts.bounced, 'bounce_rate', 'bad')]}
          />
        </Card>
        <Card>
          <Chart
            title={texts.opensClicks}
            unit="%"
            labels={labels}
            series={[line(texts.opened, 'open_rate', 'busy'), line(texts.clicked, 'click_rate', 'warn')]}
          />
        </Card>
      </div>
    </>
  )
}
