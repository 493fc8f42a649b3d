import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Input, Reply } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { formatNumber, formatPercent } from '../../ui/locale.ts'
import { Card } from '../../ui/page.tsx'
import { Switch } from '../../ui/switch.tsx'
import '../../ui/table.css'
import { ComplaintRate } from './complaint-rate.tsx'
import { texts } from './texts.ts'

const VIEWS = [
  ['domain', texts.breakdown.views.domain],
  ['tag', texts.breakdown.views.tag],
  ['recipient_domain', texts.breakdown.views.recipientDomain],
  ['provider', texts.breakdown.views.provider],
] as const

type View = (typeof VIEWS)[number][0]

const labelOf = (view: View) => VIEWS.find(([name]) => name === view)![1]

interface Row {
  readonly value: string
  readonly sent: number
  readonly delivery_rate: number
  readonly bounce_rate: number
  readonly complaint_rate: number
  readonly open_rate: number
  readonly click_rate: number
}

/** The same figures by where emails came from, what they are tagged with, or where they went to. */
export function Breakdown({ query }: { query: Input<'emails.metrics'> }) {
  const [view, setView] = useState<View>('domain')
  const { rows, note } = useRows(view, query)
  return (
    <Card
      title={texts.breakdown.title}
      actions={<Switch label={texts.breakdown.groupBy} options={VIEWS} value={view} onChange={setView} />}
    >
      {note && <p className="muted">{note}</p>}
      {rows.length === 0 ? <p className="muted">{texts.breakdown.empty[view]}</p> : <Table view={view} rows={rows} />}
    </Card>
  )
}

function useRows(view: View, query: Input<'emails.metrics'>): { rows: readonly Row[]; note?: string } {
  const domains = useCall('emails.metrics', { ...query, dimensions: 'domain' }, { enabled: view === 'domain' })
  const { start_date } = query
  const by = view === 'domain' ? 'tag' : view
  const grouped = useCall('emails.metrics.breakdown', { by, start_date }, { enabled: view !== 'domain' })
  if (view !== 'domain') return ofBreakdown(grouped.data)
  const rows = (domains.data?.data ?? []).filter(({ domain_name }) => domain_name)
  return { rows: rows.map((row) => ({ ...(row as unknown as Row), value: String(row.domain_name) })) }
}

function ofBreakdown(reply: Reply<'emails.metrics.breakdown'> | undefined) {
  const rows = reply?.data ?? []
  return reply && !reply.is_complete ? { rows, note: texts.breakdown.incomplete } : { rows }
}

const Table = ({ view, rows }: { view: View; rows: readonly Row[] }) => (
  <div className="table-wrap">
    <table aria-label={texts.breakdown.table(labelOf(view))}>
      <thead>
        <tr>
          <th scope="col" className="main">
            {labelOf(view)}
          </th>
          <th scope="col">{texts.metrics.sent}</th>
          <th scope="col">{texts.metrics.delivered}</th>
          <th scope="col">{texts.metrics.bounced}</th>
          <th scope="col">{texts.metrics.complained}</th>
          <th scope="col">{texts.metrics.opened}</th>
          <th scope="col">{texts.metrics.clicked}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.value}>
            <td className="main">
              <ValueLink view={view} value={row.value} />
            </td>
            <td>{formatNumber(row.sent)}</td>
            <td>{formatPercent(row.delivery_rate)}</td>
            <td>{formatPercent(row.bounce_rate)}</td>
            <td>
              <ComplaintRate rate={row.complaint_rate} />
            </td>
            <td>{formatPercent(row.open_rate)}</td>
            <td>{formatPercent(row.click_rate)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** To the emails behind a row. */
function ValueLink({ view, value }: { view: View; value: string }) {
  if (view === 'domain' || view === 'provider') return value
  const search = view === 'tag' ? { tag: value.replace('=', ':') } : { to: `@${value}` }
  return (
    <Link to="/emails" search={search}>
      {value}
    </Link>
  )
}
