import { expect, test } from 'vitest'
import { RetryStagger, TokenBucket } from './bucket.ts'

/** Mail that all comes at once for something that takes so many in a second: how often each is looked at until it has gone, and when the last goes. */
function workOff(count: number, rate: number) {
  const [bucket, turns] = [new TokenBucket(0), new RetryStagger()]
  const waiting = new Map<number, number[]>([[0, Array<number>(count).fill(0)]])
  let [most, sum, second] = [0, 0, 0]
  for (let left = count; left > 0; second++) {
    for (const looks of waiting.get(second) ?? []) {
      most = Math.max(most, looks + 1)
      sum++
      const waitMs = bucket.wait(second * 1_000, rate)
      if (waitMs === 0) {
        bucket.take()
        left--
        continue
      }
      const at = second + Math.max(1, Math.ceil(turns.next(second * 1_000, waitMs, rate) / 1_000))
      waiting.set(at, [...(waiting.get(at) ?? []), looks + 1])
    }
    waiting.delete(second)
  }
  return { most, mean: sum / count, seconds: second }
}

test('mail that waits for its turn is looked at a few times, however much there is', () => {
  const { most, mean, seconds } = workOff(5_000, 0.1)

  // 14 hours. Each ten minutes anew that were 83 times for the last of them.
  expect(seconds).toBeLessThan(52_000)
  expect(most).toBeLessThanOrEqual(12)
  expect(mean).toBeLessThan(8)
})

test('a few have turns of their own', () => {
  expect(workOff(50, 1)).toMatchObject({ most: 2, seconds: 51 })
})

test('whoever comes when nobody has waited for long waits no longer than the first did', () => {
  const turns = new RetryStagger()
  for (let n = 0; n < 10_000; n++) turns.next(n * 1_000, 10_000, 0.001)
  const long = turns.next(10_000_000, 10_000, 0.001)
  const later = turns.next(100_000_000, 10_000, 0.001)
  for (let n = 0; n < 10; n++) turns.next(100_000_000, 10_000, 0.001)

  expect(long).toBeGreaterThan(600_000)
  expect(later).toBe(10_000)
  expect(turns.next(100_000_000, 10_000, 0.001)).toBe(600_000)
})
