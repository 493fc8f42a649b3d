import type { Clock } from '../../src/platform/clock.ts'

export interface FixedClock extends Clock {
  advance(seconds: number): void
}

/** Stands still until it is told to move. */
export function fixedClock(start = new Date()): FixedClock {
  let now = start.getTime()
  return {
    now: () => new Date(now),
    advance: (seconds) => {
      now += seconds * 1_000
    },
  }
}
