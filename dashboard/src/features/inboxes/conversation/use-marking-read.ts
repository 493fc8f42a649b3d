import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { Reply } from '../../../api.ts'
import { useAllowed } from '../../../ui/allowed.tsx'
import { useThreadActs } from '../acts.ts'

/** A thread is read when somebody looks at it. Once for each new email: who then marks it as unread means it. */
export function useMarkingRead(
  inbox: string,
  thread: Reply<'inboxes.threads.get'> | undefined,
  newestId: string | undefined,
) {
  const acts = useThreadActs(inbox)
  const isAllowed = useAllowed()('inboxes.threads.update')
  const isVisible = useSyncExternalStore(subscribe, () => !document.hidden)
  const marked = useRef<string | null>(null)
  useEffect(() => {
    if (!thread || !newestId || !isVisible || !isAllowed || marked.current === newestId) return
    marked.current = newestId
    if (!thread.read) void acts.mark([thread], true)
  }, [thread, newestId, isVisible, isAllowed, acts])
}

const subscribe = (listener: () => void) => {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}
