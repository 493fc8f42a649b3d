import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { texts } from './texts.ts'

interface RouteLocation {
  readonly pathname: string
  readonly search: unknown
}

const isElsewhere = (current: RouteLocation, next: RouteLocation) => current.pathname !== next.pathname

/**
 * Something that is being written: what is saved, with what was changed since. Asks before changes are left behind: on another page, or
 * wherever else `isLeft` says that the form is gone.
 */
export function useDraft<Thing extends object>(saved: Thing, isLeft: typeof isElsewhere = isElsewhere) {
  const [changes, setChanges] = useState<Partial<Thing>>({})
  const draft: Thing = { ...saved, ...changes }
  const isChanged = JSON.stringify(draft) !== JSON.stringify(saved)
  useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && isLeft(current, next) && !window.confirm(texts.discardChanges),
    enableBeforeUnload: isChanged,
  })
  const change = (part: Partial<Thing>) => setChanges((before) => ({ ...before, ...part }))
  /**
   * To what is saved, which need not be what was sent: the server writes some things in its own way. What was written since this turn,
   * while it was saved, stays.
   */
  const reset = () =>
    setChanges((now) => {
      const since = Object.entries(now).filter(([name, value]) => value !== changes[name as keyof Thing])
      return Object.fromEntries(since) as Partial<Thing>
    })
  return { draft, isChanged, change, reset }
}
