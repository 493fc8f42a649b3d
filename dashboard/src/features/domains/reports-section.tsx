import { useCall } from '../../queries.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { formatNumber, formatPercent } from '../../ui/locale.ts'
import { Card } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import '../../ui/table.css'
import '../../ui/records.css'
import { texts } from './texts.ts'

const TONES: Record<string, Tone> = { us: 'good', forwarded: 'plain', authorized: 'good', unauthorized: 'bad' }

/** Who sends as the domain, what passes and fails, since when, and the one next step. */
export function ReportsSection({ id }: { id: string }) {
  const reports = useCall('domains.reports', { id })
  if (reports.isPending) return <Loading />
  if (reports.isError) return <Failed error={reports.error} onRetry={() => reports.refetch()} />
  const { dmarc, tls, next_step } = reports.data
  const { columns } = texts.reports
  return (
    <Card title={texts.reports.title}>
      <p>
        <strong>{texts.reports.next}:</strong> {next_step.text}{' '}
        {next_step.value && <Copyable text={next_step.value} what={texts.reports.copied} />}
      </p>
      {dmarc.messages === 0 ? (
        <p className="muted">{texts.reports.none}</p>
      ) : (
        <>
          <p className="muted">
            {texts.reports.passes(share(dmarc.aligned, dmarc.messages), formatNumber(dmarc.messages))}{' '}
            {texts.reports.reporters(formatNumber(dmarc.reporters.length))}
          </p>
          <div className="table-wrap records">
            <table aria-label={texts.reports.title}>
              <thead>
                <tr>
                  <th scope="col">{columns.source}</th>
                  <th scope="col">{columns.origin}</th>
                  <th scope="col">{columns.messages}</th>
                  <th scope="col">{columns.passing}</th>
                  <th scope="col" className="main">
                    {columns.domains}
                  </th>
                  <th scope="col">{columns.since}</th>
                </tr>
              </thead>
              <tbody>
                {dmarc.sources.map((source) => (
                  <tr key={`${source.address} ${source.origin}`}>
                    <td data-label={columns.source}>{source.address ?? texts.reports.others}</td>
                    <td data-label={columns.origin}>
                      <Badge word={texts.reports.origins[source.origin]} tone={TONES[source.origin] ?? 'plain'} />
                    </td>
                    <td data-label={columns.messages}>{formatNumber(source.messages)}</td>
                    <td data-label={columns.passing}>{share(source.aligned, source.messages)}</td>
                    <td className="main" data-label={columns.domains}>
                      {[...new Set([...source.dkim_domains, ...source.spf_domains])].join(', ')}
                    </td>
                    <td data-label={columns.since}>{source.first_day}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      {tls.sessions > 0 && (
        <p className="muted">{texts.reports.tls(formatNumber(tls.failed), formatNumber(tls.sessions))}</p>
      )}
    </Card>
  )
}

const share = (part: number, all: number) => formatPercent((part / all) * 100)
