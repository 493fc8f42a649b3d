import { useSyncExternalStore } from 'react'

// What is said relative to now is said anew as time goes on: all of it at once, by one timer, which rests while nobody looks.

const TICK_MS = 10_000

let tick = 0
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function advance() {
  tick++
  for (const listener of listeners) listener()
}

function run() {
  clearInterval(timer)
  timer = undefined
  if (listeners.size > 0 && !document.hidden) timer = setInterval(advance, TICK_MS)
}

function onVisibilityChange() {
  if (!document.hidden) advance()
  run()
}

function subscribe(listener: () => void) {
  if (listeners.size === 0) document.addEventListener('visibilitychange', onVisibilityChange)
  listeners.add(listener)
  if (timer === undefined) run()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    document.removeEventListener('visibilitychange', onVisibilityChange)
    run()
  }
}

/** Renders again from time to time. Returns how often it has. */
export const useTick = () => useSyncExternalStore(subscribe, () => tick)
