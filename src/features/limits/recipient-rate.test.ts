import { expect, test } from 'vitest'
import { RecipientRate } from './recipient-rate.ts'
import { NO_LIMITS } from './team-limits.ts'
import type { TeamStates } from './team-states.ts'

function rateOf(recipientsPerSecond: number | null, processes = 1) {
  const states = { limitsOf: () => ({ ...NO_LIMITS, recipientsPerSecond }) } as unknown as TeamStates
  return new RecipientRate(states, { count: processes })
}

test('a second’s worth may come at once, and then as it fills again', () => {
  const rate = rateOf(10)

  expect(rate.take('acme', 10, 0)).toBeNull()
  expect(rate.take('acme', 1, 0)).toEqual({ limit: 10, retryAfter: 1 })
  expect(rate.take('globex', 1, 0)).toBeNull()
  expect(rate.take('acme', 1, 100)).toBeNull()
  expect(rate.take('acme', 1, 100)).toMatchObject({ limit: 10 })
})

test('what is larger than that is paid off before the next', () => {
  const rate = rateOf(10)

  expect(rate.take('acme', 50, 0)).toBeNull()
  expect(rate.take('acme', 1, 1_000)).toEqual({ limit: 10, retryAfter: 4 })
  expect(rate.take('acme', 1, 4_200)).toBeNull()
})

test('processes share it', () => {
  const rate = rateOf(10, 4)

  expect([0, 0, 0].map((now) => rate.take('acme', 1, now))).toEqual([null, null, expect.anything()])
  expect(rate.take('acme', 1, 400)).toBeNull()
})

test('one recipient a second for many processes still lets each send', () => {
  const rate = rateOf(1, 5)

  expect(rate.take('acme', 1, 0)).toBeNull()
  expect(rate.take('acme', 1, 1_000)).toEqual({ limit: 1, retryAfter: 4 })
  expect(rate.take('acme', 1, 5_001)).toBeNull()
})

test('without a limit there is none', () => {
  expect(rateOf(null).take('acme', 1_000_000, 0)).toBeNull()
})
