import { expect, test } from 'vitest'
import { HOUR_MINUTES, Timeline } from './timeline.ts'

test('the fullest hour that has one of some minutes in it is the one that trying all of them finds', () => {
  // Not random, and without a pattern: every run sees the same 200 timelines.
  let seed = 1
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (let round = 0; round < 200; round++) {
    const entries = new Map(Array.from({ length: next(12) }, () => [next(200), 1 + next(5)]))
    const minutes = Array.from({ length: 1 + next(3) }, () => next(400))
    const sums = minutes.flatMap((minute) =>
      Array.from({ length: HOUR_MINUTES + 1 }, (_, back) =>
        [...entries].reduce((sum, [at, emails]) => {
          const start = minute - HOUR_MINUTES + back
          return at >= start && at <= start + HOUR_MINUTES ? sum + emails : sum
        }, 0),
      ),
    )

    expect(new Timeline(entries).fullest(minutes, HOUR_MINUTES)).toBe(Math.max(...sums))
  }
})
