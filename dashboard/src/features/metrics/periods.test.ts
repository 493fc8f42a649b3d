import { beforeEach, expect, test, vi } from 'vitest'
import { type Metrics, periodsOf, RANGES, rangeOf } from './periods.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: new Date(2026, 2, 10, 15, 30) })
  return () => vi.useRealTimers()
})

const metrics = (...rows: object[]) => ({ data: rows }) as unknown as Metrics

test('each day of a range is there, also one on which nothing happened', () => {
  const sent = { period: new Date(2026, 2, 8).toISOString(), sent: 4 }

  const { labels, rows } = periodsOf(metrics(sent), rangeOf('week'))

  expect(labels).toEqual(['Mar 4', 'Mar 5', 'Mar 6', 'Mar 7', 'Mar 8', 'Mar 9', 'Mar 10'])
  expect(rows).toEqual([{}, {}, {}, {}, sent, {}, {}])
})

test('a day in hours ends with this hour and has each name once', () => {
  const { labels } = periodsOf(metrics(), rangeOf('day'))

  expect(labels).toHaveLength(24)
  expect([labels[0], labels.at(-1)]).toEqual(['16:00', '15:00'])
})

test('a range that nobody knows is a week, and every other has its own days', () => {
  expect(rangeOf('for ever').name).toBe('week')
  for (const range of RANGES.slice(1)) expect(periodsOf(metrics(), range).labels).toHaveLength(range.days + 1)
})
