import { useParams } from '@tanstack/react-router'
import { useCall } from '../../queries.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { BroadcastEditor } from './editor.tsx'
import { BroadcastResults } from './results.tsx'

/** Each email has its event; there is none for the progress of the broadcast, so the page polls. */
const POLL_INTERVAL_MS = 1_000

/** A draft has the editor, every other status the results. */
export function BroadcastPage() {
  const { id } = useParams({ from: '/broadcasts/$id' })
  const broadcast = useCall(
    'broadcasts.get',
    { id },
    { refetchInterval: ({ state }) => (state.data?.status === 'queued' ? POLL_INTERVAL_MS : false) },
  )
  if (broadcast.isPending) return <Loading />
  if (broadcast.isError) return <Failed error={broadcast.error} onRetry={() => broadcast.refetch()} />
  return broadcast.data.status === 'draft' ? (
    <BroadcastEditor key={id} broadcast={broadcast.data} />
  ) : (
    <BroadcastResults broadcast={broadcast.data} />
  )
}
