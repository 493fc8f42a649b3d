import { useEffect, useRef, useSyncExternalStore } from 'react'
import { isForField } from './typing.ts'

/** A key, or several that do the same, and what it does: for the help. */
export interface PageKey {
  readonly keys: readonly string[]
  readonly what: string
  /** They are pressed one after the other; otherwise any of them will do. */
  readonly isSequence?: boolean
}

let shown: readonly (readonly PageKey[])[] = []
const listeners = new Set<() => void>()

function change(next: readonly (readonly PageKey[])[]) {
  shown = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The keys that the open page has besides those of all pages. */
export const usePageKeyHelp = (): readonly PageKey[] =>
  useSyncExternalStore(subscribe, () => shown)
    .flat()
    .filter(({ what }, at, all) => all.findIndex((one) => one.what === what) === at)

const NONE: readonly PageKey[] = []

/**
 * Calls `press` with keys that are meant for the page. It says whether there was something to do; otherwise the key has its usual meaning.
 * `help` is what the keys do; it is shown by `?`, and has to be the same value each time.
 */
export function usePageKeys(press: (event: KeyboardEvent) => boolean, help: readonly PageKey[] = NONE) {
  const latest = useRef(press)
  latest.current = press
  useEffect(() => {
    if (help.length === 0) return
    change([...shown, help])
    return () => change(shown.filter((one) => one !== help))
  }, [help])
  useEffect(() => {
    let isGoing = false
    const listen = (event: KeyboardEvent) => {
      const wasGoing = isGoing
      isGoing = event.key === 'g'
      // `g` and a letter goes to another page, everywhere.
      if (!wasGoing && !isForField(event) && latest.current(event)) event.preventDefault()
    }
    // Before the keys of the whole dashboard, of which some mean something else here.
    document.addEventListener('keydown', listen, true)
    return () => document.removeEventListener('keydown', listen, true)
  }, [])
}
