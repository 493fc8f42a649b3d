import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Card } from '../../ui/page.tsx'
import type { Metrics } from './periods.ts'

/** The same figures, domain by domain. */
export function DomainTable({ query }: { query: Readonly<Record<string, string>> }) {
  const { data } = useQuery({
    queryKey: ['metrics', 'domains', query.granularity, query.start_date?.slice(0, 13)],
    queryFn: () => api.get<Metrics>('/emails/metrics', { ...query, dimensions: 'domain' }),
  })
  const rows = (data?.data ?? []).filter(({ domain_name }) => domain_name)
  if (rows.length === 0) return null
  return (
    <Card title="By domain">
      <div className="table-wrap">
        <table aria-label="Figures by domain">
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
                <td className="main">{row.domain_name}</td>
                <td>{row.sent}</td>
                <td>{row.delivery_rate}%</td>
                <td>{row.bounce_rate}%</td>
                <td>{row.open_rate}%</td>
                <td>{row.click_rate}%</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}
