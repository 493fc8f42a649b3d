import { expect, test } from 'vitest'
import { dayOf, periodBegins, periodInput, periodText } from './period.ts'

const NOW = new Date(2026, 10, 15, 13, 37, 42).getTime()
const localDay = (month: number, day: number) => new Date(2026, month - 1, day).toISOString()

test.each([
  ['today', localDay(11, 15)],
  ['7d', localDay(11, 9)],
  ['30d', localDay(10, 17)],
  ['2026-03-01', localDay(3, 1)],
  ['24h', new Date(2026, 10, 14, 13, 37).toISOString()],
  ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00Z'],
  ['nonsense', 'nonsense'],
  [undefined, undefined],
  ['', undefined],
])('a period of %s', (word, moment) => {
  expect(periodBegins(word, NOW)).toBe(moment)
})

test('a day of the end is a part of the period', () => {
  expect(periodInput({ created_before: '2026-03-01' })).toEqual({
    created_after: undefined,
    created_before: localDay(3, 2),
  })
})

test('in words', () => {
  expect(periodText({ created_after: '24h' })).toBe('24 hours')
  expect(periodText({ created_after: '2026-03-01' })).toBe('Since 2026-03-01')
  expect(periodText({ created_before: '2026-03-01' })).toBe('Until 2026-03-01')
  expect(periodText({ created_after: '2026-02-01', created_before: '2026-03-01' })).toBe('2026-02-01 – 2026-03-01')
  expect(dayOf(new Date(NOW))).toBe('2026-11-15')
})
