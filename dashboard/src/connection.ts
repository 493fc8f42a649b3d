import { useSyncExternalStore } from 'react'

// Whether the service can be reached. One request that fails may be a page that is being left; so a second one is made to find out, and it is
// made again until it is answered.

const PROBE_MS = 2_000

let isLost = false
let probing: Promise<boolean> | null = null
const listeners = new Set<() => void>()

function change(next: boolean) {
  if (next === isLost) return
  isLost = next
  for (const listener of listeners) listener()
}

/** Asks for something small that every installation has. Any answer will do. */
const probe = () =>
  fetch('/dashboard/theme.js', { method: 'HEAD', cache: 'no-store' }).then(
    ({ status }) => status < 500,
    () => false,
  )

/** Finds out whether the service can be reached, and keeps on asking while it cannot. */
export function checkConnection(): Promise<boolean> {
  probing ??= probe().then((isAnswered) => {
    probing = null
    change(!isAnswered)
    if (!isAnswered) setTimeout(() => void checkConnection(), PROBE_MS)
    return isAnswered
  })
  return probing
}

export const markReachable = () => change(false)

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useConnectionLost = () => useSyncExternalStore(subscribe, () => isLost)

/** Calls back each time that the service can be reached again. Returns how to stop. */
export const onReconnected = (act: () => void) =>
  subscribe(() => {
    if (!isLost) act()
  })
