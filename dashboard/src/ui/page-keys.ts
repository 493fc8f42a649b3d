import { useEffect, useRef } from 'react'
import { isForField } from './typing.ts'

/** Calls `press` with keys that are meant for the page. It says whether there was something to do; otherwise the key has its usual meaning. */
export function usePageKeys(press: (event: KeyboardEvent) => boolean) {
  const latest = useRef(press)
  latest.current = press
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
