import { expect, test } from 'vitest'
import { type Metrics, periodsOf, QUARTER_MS, RANGES, rangeOf, rowsOf } from './periods.ts'

const NOW = new Date(2026, 2, 10, 15, 30)

const metrics = (...rows: object[]) => ({ data: rows }) as unknown as Metrics

test('each day of a range has a row, also one on which nothing happened', () => {
  const sent = { period: new Date(2026, 2, 8).toISOString(), sent: 4 }

  const { labels, starts } = periodsOf(rangeOf('week'), NOW)

  expect(labels).toEqual(['Mar 4', 'Mar 5', 'Mar 6', 'Mar 7', 'Mar 8', 'Mar 9', 'Mar 10'])
  expect(rowsOf(metrics(sent), starts)).toEqual([{}, {}, {}, {}, sent, {}, {}])
})

test('the hours of a day end with this one, and what happened a day ago is not of this hour', () => {
  const { labels, starts } = periodsOf(rangeOf('day'), NOW)
  const aDayAgo = { period: new Date(2026, 2, 9, 15).toISOString(), sent: 4 }

  expect([labels.length, labels[0], labels.at(-1)]).toEqual([24, '4:00 PM', '3:00 PM'])
  expect(rowsOf(metrics(aDayAgo), starts)).toEqual(starts.map(() => ({})))
})

test.each(RANGES)('the period before $name is as long, just before it, and as far as this one', (range) => {
  const { starts, previous, previousEnd } = periodsOf(range, NOW)
  const elapsed = NOW.getTime() - starts[0]!.getTime()

  expect(previous).toHaveLength(starts.length)
  expect(previous.at(-1)!.getTime()).toBeLessThan(starts[0]!.getTime())
  expect(previousEnd.getTime()).toBeLessThan(starts[0]!.getTime())
  expect(Math.abs(previousEnd.getTime() - previous[0]!.getTime() - elapsed)).toBeLessThanOrEqual(QUARTER_MS)
})

test('a range that nobody knows is a week', () => {
  expect(rangeOf('for ever').name).toBe('week')
})
