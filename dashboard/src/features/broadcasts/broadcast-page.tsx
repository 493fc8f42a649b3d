import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import type { FullBroadcast } from './api.ts'
import { BroadcastEditor } from './editor.tsx'
import { BroadcastResults } from './results.tsx'

/** Emails tell when they are sent; how far the whole is, nobody tells, so somebody who watches has to look. */
const LOOK_EVERY_MS = 1_000

/** A draft is written; everything else is looked at. */
export function BroadcastPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const broadcast = useQuery({
    queryKey: ['broadcasts', id],
    queryFn: () => api.get<FullBroadcast>(`/broadcasts/${id}`),
    refetchInterval: ({ state }) => (state.data?.status === 'queued' ? LOOK_EVERY_MS : false),
  })
  if (broadcast.isPending) return <Loading />
  if (broadcast.isError) return <Failed error={broadcast.error} onRetry={() => broadcast.refetch()} />
  return broadcast.data.status === 'draft' ? (
    <BroadcastEditor key={id} broadcast={broadcast.data} />
  ) : (
    <BroadcastResults broadcast={broadcast.data} />
  )
}
