import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import type { Broadcast } from './api.ts'
import { BroadcastEditor } from './editor.tsx'
import { BroadcastResults } from './results.tsx'

/** A draft is written; everything else is looked at. */
export function BroadcastPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const broadcast = useQuery({ queryKey: ['broadcasts', id], queryFn: () => api.get<Broadcast>(`/broadcasts/${id}`) })
  if (broadcast.isPending) return <Loading />
  if (broadcast.isError) return <Failed error={broadcast.error} onRetry={() => broadcast.refetch()} />
  return broadcast.data.status === 'draft' ? (
    <BroadcastEditor key={id} broadcast={broadcast.data} />
  ) : (
    <BroadcastResults broadcast={broadcast.data} />
  )
}
