import { useEffect, useState } from 'react'
import { call, type Reply } from '../../../api.ts'

export type Viewer = Reply<'inboxes.threads.viewers.list'>['data'][number]

/** A third of the lease: two calls may be lost. */
const HEARTBEAT_MS = 10_000

interface Viewing {
  readonly inbox: string
  readonly thread: string
  /** The address of whoever is signed in; null for a key, which is nobody. */
  readonly me: string | null
  readonly isReplying: boolean
}

/** Says that somebody looks at a thread for as long as the page is looked at, and who else does. */
export function useViewers({ inbox, thread, me, isReplying }: Viewing): readonly Viewer[] {
  const [others, setOthers] = useState<readonly Viewer[]>([])
  const state = isReplying ? 'replying' : 'viewing'
  useEffect(() => {
    if (me === null) return
    let isOver = false
    const announce = () => {
      if (document.hidden) return
      call('inboxes.threads.viewers.announce', { inbox, thread, body: { state } }).then(
        ({ data }) => isOver || setOthers(data.filter(({ email }) => email !== me)),
        () => {},
      )
    }
    announce()
    const timer = setInterval(announce, HEARTBEAT_MS)
    document.addEventListener('visibilitychange', announce)
    return () => {
      isOver = true
      clearInterval(timer)
      document.removeEventListener('visibilitychange', announce)
    }
  }, [inbox, thread, me, state])
  useEffect(() => {
    if (me === null) return
    const leave = () =>
      void call('inboxes.threads.viewers.remove', { inbox, thread }, { keepalive: true }).catch(() => {})
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('pagehide', leave)
      leave()
    }
  }, [inbox, thread, me])
  return others
}
