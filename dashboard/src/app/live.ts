import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { IdBeginning } from '../api.ts'
import { chosenTeam } from '../chosen-team.ts'
import { checkConnection, onReconnected } from '../connection.ts'
import { LIVE_UPDATES } from '../endpoints.ts'
import { isOneOf, refetchMatching, sandboxOf } from '../queries.ts'

const RETRY_MS = 30_000
/** Under load there are thousands of events a second; people read about one page a second. */
const REFRESH_MS = 800

/**
 * Keeps what is on the page fresh for as long as it is looked at: what is of the team, or of one of its sandboxes. A hidden page listens
 * to nothing, and catches up when it is back.
 */
export function useLive(sandbox?: string) {
  const queries = useQueryClient()
  useEffect(() => {
    const refresh = collector(queries, sandbox)
    let source: EventSource | null = null
    let retry: ReturnType<typeof setTimeout> | undefined
    const open = () => {
      clearTimeout(retry)
      const team = chosenTeam()
      source = new EventSource(
        `/dashboard/live?${new URLSearchParams({ ...(team && { team }), ...(sandbox && { sandbox }) })}`,
      )
      source.onmessage = ({ data }) => {
        for (const { type } of JSON.parse(data) as { type: string }[]) refresh(type)
      }
      source.addEventListener('end', () => {
        close()
        queries.invalidateQueries({ queryKey: ['session'] })
      })
      source.onerror = () => {
        void checkConnection()
        // The browser tries again by itself, except when it was refused.
        if (source?.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS)
      }
    }
    const close = () => {
      clearTimeout(retry)
      source?.close()
      source = null
    }
    const onVisibilityChange = () => {
      if (document.hidden) close()
      else if (!source) {
        open()
        refresh('*')
      }
    }
    // What happened in the meantime was told to nobody.
    const stop = onReconnected(() => {
      if (document.hidden) return
      if (source?.readyState !== EventSource.OPEN) {
        close()
        open()
      }
      refresh('*')
    })
    if (!document.hidden) open()
    document.addEventListener('visibilitychange', onVisibilityChange)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', onVisibilityChange)
      close()
    }
  }, [queries, sandbox])
}

/** Gathers what has happened for a moment, then has the answers read again that it is about. */
export function collector(queries: QueryClient, sandbox: string | undefined) {
  const affected = new Set<IdBeginning>()
  let isAll = false
  const flush = () => {
    const [all, some] = [isAll, new Set(affected)]
    isAll = false
    affected.clear()
    void refetchMatching(
      queries,
      ({ queryKey }) =>
        queryKey[0] !== 'session' && sandboxOf(queryKey) === sandbox && (all || isOneOf(queryKey, some)),
    )
  }
  return (type: string) => {
    if (!isAll && affected.size === 0) setTimeout(flush, REFRESH_MS)
    const stale = LIVE_UPDATES.filter(({ events }) => events.test(type))
    if (stale.length === 0) isAll = true
    for (const { endpoints } of stale) for (const id of endpoints) affected.add(id)
  }
}
