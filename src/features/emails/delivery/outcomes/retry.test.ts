import { expect, test } from 'vitest'
import { DEFAULT_RETRY, nextAttempt, retryPolicyOf } from './retry.ts'

const NOW = new Date('2026-07-01T12:00:00Z')
const HOUR = 3_600
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)
const secondsUntil = (moment: Date | null) => moment && (moment.getTime() - NOW.getTime()) / 1_000

test('the rests grow from a minute to six hours, and stay there', () => {
  const rests = Array.from({ length: 10 }, (_, n) =>
    secondsUntil(nextAttempt(n + 1, { now: NOW, giveUpAt: later(1e9) })),
  )

  expect(rests).toEqual([60, 300, 900, 1_800, HOUR, 2 * HOUR, 4 * HOUR, 6 * HOUR, 6 * HOUR, 6 * HOUR])
  expect(secondsUntil(nextAttempt(10_000, { now: NOW, giveUpAt: later(1e9) }))).toBe(6 * HOUR)
})

test('an attempt that would be too late is not made', () => {
  expect(nextAttempt(1, { now: NOW, giveUpAt: later(60) })).toBeNull()
  expect(nextAttempt(1, { now: NOW, giveUpAt: later(61) })).toEqual(later(60))
  expect(nextAttempt(1, { now: NOW, giveUpAt: later(-1) })).toBeNull()
  expect(DEFAULT_RETRY.giveUpAfterSeconds).toBe(72 * HOUR)
})

test('a destination that names a time is not asked before it, and not sooner than the retry schedule says', () => {
  const giveUpAt = later(72 * HOUR)

  expect(secondsUntil(nextAttempt(1, { now: NOW, giveUpAt, notBeforeSeconds: 600 }))).toBe(600)
  expect(secondsUntil(nextAttempt(1, { now: NOW, giveUpAt, notBeforeSeconds: 5 }))).toBe(60)
  expect(nextAttempt(1, { now: NOW, giveUpAt, notBeforeSeconds: 73 * HOUR })).toBeNull()
})

test('a schedule of the settings takes the place of the usual one', () => {
  const retry = retryPolicyOf({ RETRY_SCHEDULE: [10, 20], GIVE_UP_AFTER: HOUR })
  const rest = (attempts: number) => secondsUntil(nextAttempt(attempts, { now: NOW, giveUpAt: later(HOUR), retry }))

  expect([rest(1), rest(2), rest(3)]).toEqual([10, 20, 20])
})
