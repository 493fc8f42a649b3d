import { expect, test } from 'vitest'
import { JITTER, LADDER_SECONDS, nextAttempt } from './retry.ts'

const now = new Date('2026-11-15T12:00:00Z')
const waits = (random: number, notBeforeSeconds?: number) => (failures: number) => {
  const next = nextAttempt(failures, { now, random, ...(notBeforeSeconds !== undefined && { notBeforeSeconds }) })
  return next && Math.round((next.getTime() - now.getTime()) / 1_000)
}

test('there are eight attempts: at once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h', () => {
  const ladder = [1, 2, 3, 4, 5, 6, 7, 8].map(waits(0.5))

  expect(ladder).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 36_000, null])
})

test('what failed together does not come back together', () => {
  expect([waits(0)(2), waits(0.25)(2), waits(1)(2)]).toEqual([240, 270, 360])
  expect(JITTER).toBe(0.2)
})

test('who asks for time gets it, but no more than the longest rung', () => {
  expect(waits(0.5, 60)(1)).toBe(60)
  expect(waits(0.5, 60)(2)).toBe(300)
  expect(waits(0.5, 1e9)(1)).toBe(Math.max(...LADDER_SECONDS))
  expect(waits(0.5, 60)(8)).toBeNull()
})
