import { useState } from 'react'
import type { Reply } from '../../../api.ts'
import { useCall } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Chart, type Series } from '../../../ui/chart.tsx'
import { dateFormat } from '../../../ui/locale.ts'
import { Card } from '../../../ui/page.tsx'
import { rich } from '../../../ui/rich.tsx'
import { inSentenceCase } from '../../../ui/sentence-case.ts'
import { Failed, Loading } from '../../../ui/states.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { useTick } from '../../../ui/tick.ts'
import { Time } from '../../../ui/time.tsx'
import '../../../ui/table.css'
import '../../../ui/records.css'
import { paceSeries } from './pace-series.ts'
import { formatRate } from './rates.ts'
import { texts } from './texts.ts'

type Destination = Reply<'operator.delivery.destination'>
type Change = Reply<'operator.delivery.pace'>['data'][number]
type Period = keyof typeof texts.pace.periods

const PERIODS = Object.entries(texts.pace.periods) as [Period, string][]
const HOURS: Readonly<Record<Period, number>> = { hour: 1, day: 24, week: 168 }
const TONES = ['busy', 'warn', 'good', 'bad'] as const
const FIRST_CHANGES = 10
const REFRESH_MS = 10_000
const CLOCK = dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const DAY = dateFormat({ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

interface PaceSectionProps extends Pick<Destination, 'paces' | 'ceilings'> {
  readonly destination: string
}

/** The rate over time, and each change with the reply that caused it. */
export function PaceSection({ destination, paces, ceilings }: PaceSectionProps) {
  const [period, setPeriod] = useState<Period>('day')
  const history = useCall('operator.delivery.pace', { destination }, { refetchInterval: () => REFRESH_MS })
  const changes = history.data?.data ?? []
  return (
    <Card
      title={texts.pace.title}
      actions={
        changes.length > 0 && <Switch label={texts.pace.period} options={PERIODS} value={period} onChange={setPeriod} />
      }
    >
      {history.isPending && <Loading lines={3} />}
      {history.isError && <Failed error={history.error} onRetry={() => history.refetch()} />}
      {history.data && changes.length === 0 && paces.length === 0 && <p className="muted">{texts.pace.none}</p>}
      {paces.map(({ kind, identity, about, rate, limit, resumes_at }) => (
        <p key={`${kind} ${identity}`}>
          {texts.pace.now(about, formatRate(rate), formatRate(limit))}{' '}
          {resumes_at && rich(texts.pace.resumes, { time: <Time at={resumes_at} /> })}
        </p>
      ))}
      {changes.length > 0 && (
        <>
          <PaceChart changes={changes} period={period} ceilings={ceilings} />
          <Changes changes={changes} />
        </>
      )}
    </Card>
  )
}

interface PaceChartProps extends Pick<Destination, 'ceilings'> {
  readonly changes: readonly Change[]
  readonly period: Period
}

function PaceChart({ changes, period, ceilings }: PaceChartProps) {
  useTick()
  const now = Date.now()
  const { times, lines } = paceSeries(changes, { since: now - HOURS[period] * 3_600_000, now })
  if (lines.length === 0) return <p className="muted">{texts.pace.quiet}</p>
  const format = period === 'week' ? DAY : CLOCK
  const series = lines.map(({ name, values }, index): Series => ({ name, values, tone: TONES[index]! }))
  return (
    <Chart
      title={texts.pace.chart}
      labels={times.map((time) => format.format(time))}
      series={series}
      limits={limitsOf(ceilings, Math.max(...lines.flatMap(({ values }) => values.map((value) => value ?? 0))))}
    />
  )
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** The ceiling, unless it is so far up that the rates would lie at the bottom. */
function limitsOf(ceilings: Destination['ceilings'], largest: number) {
  const written = ceilings.find(({ name }) => name === 'rate')?.value ?? 'none'
  const [, count, unit] = /^([\d.]+)\/([smhd])$/.exec(written) ?? []
  const perMinute = (Number(count) / SECONDS[unit ?? '']!) * 60
  return perMinute <= largest * 4 ? [{ value: perMinute, label: texts.pace.limit }] : []
}

function Changes({ changes }: { changes: readonly Change[] }) {
  const [isWhole, setWhole] = useState(false)
  const { columns } = texts.pace
  const shown = isWhole ? changes : changes.slice(0, FIRST_CHANGES)
  return (
    <>
      <div className="table-wrap records">
        <table aria-label={texts.pace.changes}>
          <thead>
            <tr>
              <th scope="col">{columns.at}</th>
              <th scope="col">{columns.about}</th>
              <th scope="col">{columns.change}</th>
              <th scope="col" className="main">
                {columns.cause}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((change) => (
              <tr key={`${change.at} ${change.kind} ${change.identity}`}>
                <td data-label={columns.at}>
                  <Time at={change.at} exact />
                </td>
                <td data-label={columns.about}>{change.about}</td>
                <td data-label={columns.change}>
                  {texts.pace.change(formatRate(change.from_rate), formatRate(change.to_rate))}
                </td>
                <td className="main" data-label={columns.cause} title={change.reply ?? undefined}>
                  {texts.pace.causes[change.cause]}
                  {change.class && <> ({inSentenceCase(change.class)})</>}
                  {change.reply && (
                    <>
                      : <code>{change.reply}</code>
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < changes.length && (
        <div className="actions">
          <Button look="quiet" onClick={() => setWhole(true)}>
            {texts.pace.more(changes.length - shown.length)}
          </Button>
        </div>
      )}
    </>
  )
}
