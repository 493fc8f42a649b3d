import { onTestFinished } from 'vitest'

/** Counts the turns of the event loop, until the test ends. */
export function countTurns(): () => number {
  let turns = 0
  let next = setImmediate(function count() {
    turns++
    next = setImmediate(count)
  })
  onTestFinished(() => clearImmediate(next))
  return () => turns
}
