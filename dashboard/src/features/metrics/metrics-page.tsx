import { keepPreviousData } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useCall } from '../../queries.ts'
import { Chart, type Series } from '../../ui/chart.tsx'
import { useChoices } from '../../ui/choices.ts'
import { Card, Page } from '../../ui/page.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { DomainTable } from './domain-table.tsx'
import { type Metrics, periodsOf, RANGES, type Range, rangeOf } from './periods.ts'
import '../../ui/figures.css'

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
  return (
    <Page
      title="Metrics"
      actions={
        <>
          <SearchSelect name="domain_id" label="Domain" none="All domains" options={domains} />
          <SearchSelect name="range" label="Range" otherwise={range.name} options={CHOICES} />
        </>
      }
    >
      {metrics.isPending && <Loading />}
      {metrics.isError && <Failed error={metrics.error} onRetry={() => metrics.refetch()} />}
      {metrics.data && <Charts metrics={metrics.data} range={range} />}
      <DomainTable query={queryOf(range)} />
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

function Charts({ metrics, range }: { metrics: Metrics; range: Range }) {
  const { labels, rows } = periodsOf(metrics, range)
  const line = (name: string, metric: string, tone: Series['tone']): Series => ({
    name,
    tone,
    // A share of nothing is not zero.
    values: rows.map((row) => (metric.endsWith('_rate') && !row.sent ? null : Number(row[metric] ?? 0))),
  })
  const totals = metrics.totals
  return (
    <>
      <dl className="figures">
        <Figure name="Sent" value={totals.sent} />
        <Figure name="Delivered" value={totals.delivered} rate={totals.delivery_rate} />
        <Figure name="Bounced" value={totals.bounced} rate={totals.bounce_rate} />
        <Figure name="Complained" value={totals.complained} rate={totals.complaint_rate} />
        <Figure name="Opened" value={totals.unique_opened} rate={totals.open_rate} />
        <Figure name="Clicked" value={totals.unique_clicked} rate={totals.click_rate} />
      </dl>
      <Card>
        <Chart
          title="Volume"
          labels={labels}
          series={[
            line('sent', 'sent', 'busy'),
            line('delivered', 'delivered', 'good'),
            line('bounced', 'bounced', 'bad'),
            line('delayed', 'delivery_delayed', 'warn'),
          ]}
        />
      </Card>
      <div className="columns even">
        <Card>
          <Chart
            title="Delivery and bounces"
            unit="%"
            labels={labels}
            series={[line('delivered', 'delivery_rate', 'good'), line('bounced', 'bounce_rate', 'bad')]}
          />
        </Card>
        <Card>
          <Chart
            title="Opens and clicks"
            unit="%"
            labels={labels}
            series={[line('opened', 'open_rate', 'busy'), line('clicked', 'click_rate', 'warn')]}
          />
        </Card>
      </div>
    </>
  )
}

function Figure({ name, value = 0, rate }: { name: string; value?: number | undefined; rate?: number | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value.toLocaleString('en')}
        {rate !== undefined && value > 0 && <span className="muted"> {Number(rate.toFixed(1))}%</span>}
      </dd>
    </div>
  )
}
