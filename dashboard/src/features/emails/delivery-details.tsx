import { useCall } from '../../queries.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { Recipients, Timeline } from './timeline.tsx'

/** What became of an email, in a sandbox or in the team. */
export function DeliveryDetails({ id, sandbox }: { id: string; sandbox?: string }) {
  const email = useCall('emails.get', { id }, { sandbox })
  if (email.isPending) return <Loading />
  if (email.isError) return <Failed error={email.error} onRetry={() => email.refetch()} />
  return (
    <>
      <Timeline email={email.data} />
      <Recipients deliveries={email.data.deliveries} />
    </>
  )
}
