import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call, type Reply } from '../../../api.ts'
import { keyOf } from '../../../queries.ts'

export type TimelineEntry = Reply<'clock.update'>['happened'][number]

/** On the way from one moment to another. */
export interface AdvanceProgress {
  readonly from: string
  readonly to: string
  /** Where it has got to. */
  readonly now: string
  readonly state: 'running' | 'stopping' | 'arrived' | 'stopped' | 'failed'
  readonly happened: readonly TimelineEntry[]
  readonly steps: number
  /** More happened than is listed. */
  readonly hasMore: boolean
  readonly error: string | null
}

export interface Advance {
  readonly progress: AdvanceProgress | null
  readonly isRunning: boolean
  /** Goes to a moment, and on for as long as the service says that it is not there yet. */
  readonly go: (to: (now: Date) => Date) => Promise<void>
  readonly stop: () => void
}

/** Lets time pass in a sandbox. Whoever leaves the page stops it after the call that is under way. */
export function useAdvance(sandbox: string): Advance {
  const queries = useQueryClient()
  const [progress, setProgress] = useState<AdvanceProgress | null>(null)
  const isStopped = useRef(false)
  const isRunning = progress?.state === 'running' || progress?.state === 'stopping'
  useEffect(() => {
    isStopped.current = false
    return () => {
      isStopped.current = true
    }
  }, [])
  const change = (part: Partial<AdvanceProgress>) => setProgress((old) => old && { ...old, ...part })

  const go = async (destination: (now: Date) => Date) => {
    if (isRunning) return
    isStopped.current = false
    try {
      const { now: from } = await call('clock.get', {}, { sandbox })
      const to = destination(new Date(from)).toISOString()
      setProgress({ ...START, from, to, now: from })
      for (let isComplete = false; !isComplete; ) {
        const reply = await call('clock.update', { body: { to } }, { sandbox })
        queries.setQueryData(keyOf('clock.get', {}, sandbox), {
          object: 'clock',
          now: reply.now,
          is_frozen: reply.is_frozen,
        })
        setProgress((old) => old && further(old, reply))
        isComplete = reply.is_complete
        if (isStopped.current && !isComplete) return change({ state: 'stopped' })
      }
      change({ state: 'arrived' })
    } catch (error) {
      setProgress((old) => ({ ...(old ?? EMPTY), state: 'failed', error: (error as Error).message }))
    } finally {
      // What is shown of the sandbox elsewhere is of another time now.
      void queries.invalidateQueries({
        predicate: ({ queryKey: [id, , where] }) =>
          id === 'sandboxes.get' || (where as { sandbox?: string } | undefined)?.sandbox === sandbox,
      })
    }
  }
  const stop = () => {
    isStopped.current = true
    change({ state: 'stopping' })
  }
  return { progress, isRunning, go, stop }
}

const START = { state: 'running', happened: [], steps: 0, hasMore: false, error: null } as const
const EMPTY: AdvanceProgress = { ...START, from: '', to: '', now: '' }

const further = (
  progress: AdvanceProgress,
  { now, happened, steps, has_more }: Reply<'clock.update'>,
): AdvanceProgress => ({
  ...progress,
  now,
  happened: [...progress.happened, ...happened],
  steps: progress.steps + steps,
  hasMore: progress.hasMore || has_more,
})
