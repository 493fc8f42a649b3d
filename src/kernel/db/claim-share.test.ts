import { expect, test } from 'vitest'
import { ClaimShare } from './claim-share.ts'

const LATE_MS = 2_000

test('a node whose heartbeats come in time claims as much as it likes', () => {
  const share = new ClaimShare(LATE_MS)
  for (let at = 0; at <= 10_000; at += 1_200) share.answered(at)

  expect(share.at(10_500)).toBe(1)
})

test('a node whose heartbeat is late claims less, already while it is waited for, and little by little more afterwards', () => {
  const share = new ClaimShare(LATE_MS)
  share.answered(0)

  expect(share.at(1_999)).toBe(1)
  expect(share.at(4_000)).toBe(1 / 4)
  expect(share.at(60_000)).toBe(1 / 32)

  share.answered(6_000)
  expect(share.at(6_000)).toBe(1 / 8)
  const later: number[] = []
  for (let at = 7_000; at <= 40_000; at += 1_000) {
    share.answered(at)
    later.push(share.at(at))
  }
  expect(later.slice(0, 2)).toEqual([5 / 32, 6 / 32])
  expect(later.at(-1)).toBe(1)
})
