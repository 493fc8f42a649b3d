import { expect, test } from 'vitest'
import { ceilingOf, isAlone, pathOf, pointAfter } from './chart-scale.ts'

test.each([
  [0, 4],
  [4, 4],
  [5, 8],
  [13, 16],
  [100, 100],
  [101, 120],
  [9_999, 10_000],
  [1_000_001, 1_200_000],
])('the axis of %i ends at %i', (largest, ceiling) => {
  expect(ceilingOf(largest)).toBe(ceiling)
})

test('a line is interrupted where there is no value', () => {
  const values = [1, 2, null, 3]

  expect(
    pathOf(
      values,
      (index) => index,
      (value) => value,
    ),
  ).toBe('M0,1L1,2M3,3')
  expect(values.map((_, index) => isAlone(values, index))).toEqual([false, false, false, true])
})

test('keys go from point to point and stay within the chart', () => {
  const keys = ['Home', 'ArrowLeft', 'ArrowRight', 'PageUp', 'End', 'ArrowRight', 'PageDown', 'Enter']

  expect(keys.map((key) => pointAfter(key, key === 'ArrowLeft' ? 0 : 20, 30))).toEqual([0, 0, 21, 23, 29, 21, 17, null])
})
