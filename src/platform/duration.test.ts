import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_SECONDS, normalDuration, parseDuration, parseMilliseconds } from './duration.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

test.each([
  ['3 days', 3 * 86_400_000],
  ['3 days 250 milliseconds', 3 * 86_400_000 + 250],
  ['1 second 1 ms', 1_001],
  ['0 seconds 0 milliseconds', 0],
  ['500ms', 500],
  ['1000 ms', null],
  ['250 ms 1 day', null],
  ['1day250ms', null],
  ['ms', null],
  ['soon', null],
])('a program may say it to the millisecond: %s', (text, milliseconds) => {
  expect(parseMilliseconds(text)).toBe(milliseconds)
})

describe('a duration', () => {
  test.each([
    ['30 minutes', 30 * MINUTE],
    ['1 minute', MINUTE],
    ['1 hour 30 minutes', 1.5 * HOUR],
    ['1h30m', 1.5 * HOUR],
    ['1h 30m', 1.5 * HOUR],
    ['1.5 hours', 1.5 * HOUR],
    ['0.001 weeks', null],
    ['2 days and 3 hours', 2 * DAY + 3 * HOUR],
    ['2 days, 3 hours, and 5 mins', 2 * DAY + 3 * HOUR + 5 * MINUTE],
    ['3 hours 2 days', 2 * DAY + 3 * HOUR],
    ['90s', 90],
    ['1 week', 7 * DAY],
    ['  3 DAYS ', 3 * DAY],
    ['2592000 seconds', 30 * DAY],
    ['0 seconds', 0],
    ['31 days', 31 * DAY],
  ])('%s', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds)
  })

  test.each([
    '',
    ' ',
    '30',
    'days',
    '-1 day',
    '1 day -3 hours',
    '+1 day',
    '1 month',
    '1 year',
    '500ms',
    '1 dayz',
    '1 day and',
    'and 1 day',
    '1 day and and 2 hours',
    '1 day,, 2 hours',
    '1 hour 1 hour',
    '1e3 seconds',
    '1. hours',
    '1.5555 hours',
    '0.5 seconds',
    'Infinity days',
    'tomorrow',
    'constructor',
    '1 constructor',
    '12345678 seconds',
    '٣ days',
    `${'1'.repeat(1_000_000)} s`,
    `1${' '.repeat(1_000_000)}s`,
    '1 s '.repeat(1_000_000),
  ])('is not %#', (text) => {
    expect(parseDuration(text)).toBeNull()
  })

  test.each([
    [12 * DAY, '1 week 5 days'],
    [MAX_SECONDS, '4 weeks 2 days'],
    [1, '1 second'],
    [2 * DAY + 3 * HOUR + 61, '2 days 3 hours 1 minute 1 second'],
    [0, '0 seconds'],
  ])('of %i s is written as %s', (seconds, text) => {
    expect(normalDuration(seconds)).toBe(text)
  })

  test('is the same when it is written and read again', () => {
    fc.assert(
      fc.property(fc.nat(MAX_SECONDS), (seconds) => {
        expect(parseDuration(normalDuration(seconds))).toBe(seconds)
      }),
    )
  })

  test('of any text is whole seconds or nothing', () => {
    const words = fc.constantFrom('1', '2.5', '07', '-', ',', ' ', 'and', 'hour', 'd', 'weeks', 's', '.')
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words).map((parts) => parts.join('')),
        ),
        (text) => {
          const seconds = parseDuration(text)
          expect(seconds === null || (Number.isSafeInteger(seconds) && seconds >= 0)).toBe(true)
        },
      ),
    )
  })
})
