import { useCall } from '../../queries.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import type { Label } from './acts.ts'

/** What the parts of the mail client know besides the mail: labels of the inbox, and whom a thread can be assigned to. */
export interface InboxMeta {
  readonly labels: readonly Label[]
  readonly isReady: boolean
  readonly members: readonly { readonly email: string; readonly name: string }[]
  /** The address of whoever is signed in; null for a key. */
  readonly me: string | null
}

/** Both change seldom, and the feed says when. */
const LONG_MS = 5 * 60_000

export function useInboxMeta(inbox: string, me: string | null): InboxMeta {
  const isAllowed = useAllowed()
  const labels = useCall('inboxes.labels.list', { inbox }, { staleTime: LONG_MS })
  const members = useCall('members.list', { limit: 100 }, { staleTime: LONG_MS, enabled: isAllowed('members.list') })
  return {
    labels: labels.data?.data ?? [],
    isReady: !labels.isPending,
    members: members.data?.data ?? [],
    me,
  }
}
