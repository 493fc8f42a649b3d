import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'
import { vi } from 'vitest'

/** Holds the time of everything in this process but PostgreSQL. It passes when a run says so. Gives what lets go of it. */
export function holdTime(): () => void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  const real = timersPromises.setTimeout
  timersPromises.setTimeout = (milliseconds, value) =>
    new Promise((resolve) => setTimeout(() => resolve(value as never), milliseconds))
  // For those who have imported it by name.
  syncBuiltinESMExports()
  return () => {
    vi.useRealTimers()
    timersPromises.setTimeout = real
    syncBuiltinESMExports()
  }
}
