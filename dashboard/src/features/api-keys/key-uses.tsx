import { useCall } from '../../queries.ts'
import { Chart } from '../../ui/chart.tsx'
import { dateFormat } from '../../ui/locale.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { texts } from './texts.ts'

const DAY = dateFormat({ month: 'short', day: 'numeric', timeZone: 'UTC' })

/** How much a key was used, day by day. */
export function KeyUses({ id }: { id: string }) {
  const { data, error, refetch } = useCall('api-keys.uses', { id })
  if (error) return <Failed error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const all = data.data.reduce((sum, { requests }) => sum + requests, 0)
  return (
    <>
      <Chart
        title={texts.usage.chart}
        labels={data.data.map(({ date }) => DAY.format(new Date(date)))}
        series={[{ name: texts.usage.requests, tone: 'busy', values: data.data.map(({ requests }) => requests) }]}
      />
      <p className="muted">{texts.usage.total(all)}</p>
    </>
  )
}
