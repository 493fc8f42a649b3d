import { expect, test } from 'vitest'
import { TokenBuckets } from './token-buckets.ts'

test('a burst of the whole limit, and then as much as the time gives back', () => {
  const buckets = new TokenBuckets({ limit: 10, periodMs: 1_000 })
  const takes = (count: number, at: number) =>
    Array.from({ length: count }, () => buckets.take('a', 1, at)).filter(Boolean).length

  expect(takes(20, 0)).toBe(10)
  expect(takes(20, 100)).toBe(1)
  expect(takes(20, 600)).toBe(5)
  expect(takes(20, 60_000)).toBe(10)
  expect(buckets.has('a', 60_000)).toBe(false)
  expect(buckets.take('b', 1, 60_000)).toBe(true)
})

test('something dear is let through once, and paid for before the next', () => {
  const buckets = new TokenBuckets({ limit: 10, periodMs: 1_000 })

  expect(buckets.take('a', 25, 0)).toBe(true)
  expect(buckets.take('a', 1, 1_500)).toBe(false)
  expect(buckets.take('a', 1, 1_700)).toBe(true)
})

test('what has happened already is counted, however little is left', () => {
  const buckets = new TokenBuckets({ limit: 3, periodMs: 3_000 })

  for (let n = 0; n < 5; n++) buckets.charge('a', 1, 0)

  expect(buckets.has('a', 2_999)).toBe(false)
  expect(buckets.has('a', 3_001)).toBe(true)
  expect(buckets.has('b', 0)).toBe(true)
})

test('a limit of 0 is none', () => {
  const buckets = new TokenBuckets({ limit: 0, periodMs: 1_000 })

  expect(buckets.take('a', 1_000) && buckets.has('a') && buckets.take('a')).toBe(true)
  expect(buckets.size).toBe(0)
})

test('what is full again is forgotten, and there is a bound on what is remembered', () => {
  const buckets = new TokenBuckets({ limit: 2, periodMs: 1_000, maxKeys: 100 })

  for (let n = 0; n < 1_000; n++) buckets.take(`a${n}`, 1, 0)
  expect(buckets.size).toBe(100)
  buckets.take('b', 1, 10_000)
  expect(buckets.size).toBe(1)
})
