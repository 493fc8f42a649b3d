import { useEffect, useRef } from 'react'
import { isForField } from '../../ui/typing.ts'

export type KeyAct = 'next' | 'previous' | 'close' | 'pick' | 'remove' | 'read' | 'unread'

/** Besides `j`, `k`, Enter and `/`, which mean on every page what they mean here. */
const ACTS: Readonly<Record<string, KeyAct>> = {
  j: 'next',
  k: 'previous',
  u: 'close',
  Escape: 'close',
  x: 'pick',
  '#': 'remove',
  Delete: 'remove',
  I: 'read',
  U: 'unread',
}

/** Calls `run` with what a key means here. It says whether there was something to do; otherwise the key has its usual meaning. */
export function useMessageKeys(run: (act: KeyAct) => boolean) {
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    let isGoing = false
    const press = (event: KeyboardEvent) => {
      const wasGoing = isGoing
      isGoing = event.key === 'g'
      // `g` and a letter goes to another page, everywhere.
      if (wasGoing || isForField(event)) return
      const act = ACTS[event.key]
      if (act && latest.current(act)) event.preventDefault()
    }
    // Before the keys of the whole dashboard.
    document.addEventListener('keydown', press, true)
    return () => document.removeEventListener('keydown', press, true)
  }, [])
}

/** The row that has the focus. */
export const focusedRow = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-message]')?.dataset.message
