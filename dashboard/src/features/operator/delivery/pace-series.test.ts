import { expect, test } from 'vitest'
import { paceSeries } from './pace-series.ts'
import { formatRate, rateOfCeiling } from './rates.ts'

const HOUR = 3_600_000
const at = (ms: number) => new Date(ms).toISOString()
const change = (ms: number, from_rate: number | null, to_rate: number | null, about = 'our IP address') => ({
  ...{ at: at(ms), about, from_rate, to_rate },
})

test('a rate lasts until it becomes another one, and a cut between two points is seen', () => {
  const { times, lines } = paceSeries(
    [change(HOUR / 2 + 15_000, 0.5, 1), change(HOUR / 2 + 5_000, 2, 0.5), change(0, null, 2)],
    { since: 0, now: HOUR },
  )
  const values = lines[0]!.values

  expect(times).toHaveLength(120)
  expect(lines.map(({ name }) => name)).toEqual(['our IP address'])
  expect([values[0], values[59], values[60], values[61], values[119]]).toEqual([120, 120, 30, 60, 60])
})

test('no limit is no line, before the first cut and after the last one', () => {
  const { lines } = paceSeries([change(45 * 60_000, 1, null), change(15 * 60_000, null, 1)], { since: 0, now: HOUR })
  const values = lines[0]!.values

  expect([values[0], values[60], values[119]]).toEqual([null, 60, null])
  expect(paceSeries([], { since: 0, now: HOUR }).lines).toEqual([])
})

test('the identities that changed last have a line each', () => {
  const changes = ['a', 'b', 'c', 'd', 'e'].map((about, index) => change(HOUR - index, null, 1, about))

  expect(paceSeries(changes, { since: 0, now: HOUR }).lines.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'])
})

test.each([
  [12.345, '12.3/s'],
  [0.5, '30/min'],
  [1 / 120, '30/h'],
  [null, 'No limit'],
])('%s is %s', (perSecond, text) => {
  expect(formatRate(perSecond)).toBe(text)
})

test('a rate is shown with its ceiling where there is one', () => {
  expect(rateOfCeiling(1, 10)).toBe('1/s of 10/s')
  expect(rateOfCeiling(null, 10)).toBe('10/s')
  expect(rateOfCeiling(1, null)).toBe('1/s')
  expect(rateOfCeiling(null, null)).toBe('–')
})
