import type { Input } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { Card } from '../../ui/page.tsx'
import '../../ui/table.css'

/** The same figures, domain by domain. */
export function DomainTable({ query }: { query: Input<'emails.metrics'> }) {
  const { data } = useCall('emails.metrics', { ...query, dimensions: 'domain' })
  const rows = (data?.data ?? []).filter(({ domain_name }) => domain_name)
  if (rows.length === 0) return null
  return (
    <Card title="By domain">
      <div className="table-wrap">
        <table aria-label="Metrics by domain">
          <thead>
            <tr>
              <th scope="col" className="main">
                Domain
              </th>
              <th scope="col">Sent</th>
              <th scope="col">Delivered</th>
              <th scope="col">Bounced</th>
              <th scope="col">Opened</th>
              <th scope="col">Clicked</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={String(row.domain_id)}>
                <td className="main">{String(row.domain_name)}</td>
                <td>{String(row.sent)}</td>
                <td>{String(row.delivery_rate)}%</td>
                <td>{String(row.bounce_rate)}%</td>
                <td>{String(row.open_rate)}%</td>
                <td>{String(row.click_rate)}%</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}
