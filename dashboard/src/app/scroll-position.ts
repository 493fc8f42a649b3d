import { type ParsedLocation, useRouter } from '@tanstack/react-router'
import { type RefObject, useEffect } from 'react'

const STORED_AS = 'scroll-positions'
/** Older entries of the history are seldom gone back to. */
const MAX_POSITIONS = 100
/** A page that is read anew is there by then; whoever waits longer has begun to do something else. */
const MAX_WAIT_MS = 10_000

const keyOf = ({ state }: ParsedLocation) => state.__TSR_key ?? ''

/** By entries of the history. They survive a reload, as the entries do. */
function readPositions(): Map<string, number> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(STORED_AS) ?? '[]'))
  } catch {
    return new Map()
  }
}

/**
 * Where the page was scrolled to when it was left is where it is when somebody comes back. Another page begins at its top; another filter
 * or another message of the same page leaves it where it is.
 */
export function useScrollPosition(element: RefObject<HTMLElement | null>) {
  const router = useRouter()
  useEffect(() => {
    const positions = readPositions()
    // After a reload the first page was rendered before somebody was known to be signed in.
    const first = positions.get(keyOf(router.state.location))
    let stopRestoring = first === undefined ? () => {} : restore(element.current, first)
    const remember = (location: ParsedLocation | undefined) => {
      if (!location || !element.current) return
      positions.delete(keyOf(location))
      positions.set(keyOf(location), element.current.scrollTop)
      if (positions.size > MAX_POSITIONS) positions.delete(positions.keys().next().value!)
    }
    const store = () => {
      remember(router.state.location)
      sessionStorage.setItem(STORED_AS, JSON.stringify([...positions]))
    }
    const unsubscribe = [
      router.subscribe('onBeforeLoad', ({ fromLocation }) => {
        stopRestoring()
        remember(fromLocation)
      }),
      router.subscribe('onRendered', ({ toLocation, pathChanged }) => {
        const position = positions.get(keyOf(toLocation))
        if (position !== undefined) stopRestoring = restore(element.current, position)
        else if (pathChanged) element.current?.scrollTo(0, 0)
      }),
    ]
    addEventListener('pagehide', store)
    return () => {
      stopRestoring()
      removeEventListener('pagehide', store)
      for (const one of unsubscribe) one()
    }
  }, [router, element])
}

const HANDS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/** Scrolls there, again and again while the page grows, until somebody does something else. */
function restore(element: HTMLElement | null, position: number): () => void {
  if (!element) return () => {}
  const scroll = () => {
    element.scrollTo(0, position)
    if (Math.abs(element.scrollTop - position) < 2) stop()
  }
  const stop = () => {
    observer.disconnect()
    clearTimeout(timer)
    for (const event of HANDS) element.removeEventListener(event, stop)
  }
  const observer = new MutationObserver(scroll)
  const timer = setTimeout(stop, MAX_WAIT_MS)
  observer.observe(element, { childList: true, subtree: true })
  for (const event of HANDS) element.addEventListener(event, stop, { passive: true })
  scroll()
  return stop
}
