import { expect, test } from 'vitest'
import { estimate, uncertainty } from '../bench/compare/statistics.ts'

test('a difference is known when the rounds agree, whatever one of them was disturbed by', () => {
  const known = estimate([0.91, 0.9, 0.89, 0.9, 2.4, 0.9, 0.91, 0.89, 0.9, 0.9])

  expect(known.ratio).toBeCloseTo(0.9)
  expect(known.high).toBeLessThan(1)
  expect(uncertainty(known)).toBeLessThan(0.03)
})

test('a difference is not known when the rounds do not agree', () => {
  const known = estimate([0.7, 1.3, 0.8, 1.2, 0.9, 1.1])

  expect(known.low).toBeLessThan(1)
  expect(known.high).toBeGreaterThan(1)
  expect(uncertainty(known)).toBeGreaterThan(0.03)
})

test('the same rounds give the same interval', () => {
  const rounds = [0.97, 1.02, 0.99, 1.01, 1.0]

  expect(estimate(rounds)).toEqual(estimate(rounds))
})
