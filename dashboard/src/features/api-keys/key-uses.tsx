import { useCall } from '../../queries.ts'
import { Chart } from '../../ui/chart.tsx'
import { Failed, Loading } from '../../ui/states.tsx'

const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** How much a key was used, day by day. */
export function KeyUses({ id }: { id: string }) {
  const { data, error, refetch } = useCall('api-keys.uses', { id })
  if (error) return <Failed error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const all = data.data.reduce((sum, { requests }) => sum + requests, 0)
  return (
    <>
      <Chart
        title="Requests by day (UTC)"
        labels={data.data.map(({ date }) => DAY.format(new Date(date)))}
        series={[{ name: 'Requests', tone: 'busy', values: data.data.map(({ requests }) => requests) }]}
      />
      <p className="muted">
        {all.toLocaleString('en')} {all === 1 ? 'request' : 'requests'} in the last 30 days.
      </p>
    </>
  )
}
