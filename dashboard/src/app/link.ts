import { useSyncExternalStore } from 'react'

// Links that were mailed or printed lead here with a token behind `#`. It is read once, when the program starts, and leaves the address
// bar at once.

export interface TakenLink {
  readonly what: 'sign-in' | 'verify'
  readonly token: string
}

let link = takeLink()
const listeners = new Set<() => void>()

function takeLink(): TakenLink | null {
  const [, what, token] = /^#(sign-in|verify)=([\w-]+)$/.exec(location.hash) ?? []
  if (what === undefined || token === undefined) return null
  history.replaceState(history.state, '', `${location.pathname}${location.search}`)
  return { what: what as TakenLink['what'], token }
}

/** The link that this page was opened with, until it is used or put aside. */
export const useLink = () => useSyncExternalStore(subscribe, () => link)

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function forgetLink() {
  link = null
  for (const listener of listeners) listener()
}

// Who pastes another link into a tab that is open changes nothing but what is behind `#`.
addEventListener('hashchange', () => {
  const next = takeLink()
  if (next === null) return
  link = next
  for (const listener of listeners) listener()
})
