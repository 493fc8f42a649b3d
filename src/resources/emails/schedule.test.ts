import { describe, expect, onTestFinished, test } from 'vitest'
import { readSchedule } from './schedule.ts'

// A Wednesday, in the summer of both hemispheres' north.
const NOW = new Date('2026-07-01T10:30:00.000Z')
const read = (text: string, now = NOW) => readSchedule(text, now).toISOString()

describe.each(['UTC', 'America/New_York', 'Asia/Kolkata'])('on a machine in %s', (zone) => {
  /** What a text means must not depend on where the server stands. */
  function standIn(place: string) {
    const before = process.env.TZ
    process.env.TZ = place
    onTestFinished(() => {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    })
  }

  test.each([
    ['2026-07-02T08:00:00Z', '2026-07-02T08:00:00.000Z'],
    ['2026-07-02T08:00:00.123456Z', '2026-07-02T08:00:00.123Z'],
    ['2026-07-02T08:00', '2026-07-02T08:00:00.000Z'],
    ['2026-07-02t08:00:00z', '2026-07-02T08:00:00.000Z'],
    ['2026-07-02', '2026-07-02T00:00:00.000Z'],
    ['2026-07-02T08:00:00+02:00', '2026-07-02T06:00:00.000Z'],
    ['2026-07-02T08:00:00+0530', '2026-07-02T02:30:00.000Z'],
    ['2026-07-02 08:00:00.500000+00', '2026-07-02T08:00:00.500Z'],
    ['2026-07-02 08:00:00-07', '2026-07-02T15:00:00.000Z'],
    ['in 1 min', '2026-07-01T10:31:00.000Z'],
    ['in 2 hours', '2026-07-01T12:30:00.000Z'],
    ['in 30 days', '2026-07-31T10:30:00.000Z'],
    ['tomorrow at 9am', '2026-07-02T09:00:00.000Z'],
    ['tomorrow at 9am PST', '2026-07-02T17:00:00.000Z'],
    ['Friday at 3pm', '2026-07-03T15:00:00.000Z'],
    ['Friday at 3pm ET', '2026-07-03T19:00:00.000Z'],
    ['next monday at 08:15', '2026-07-06T08:15:00.000Z'],
    ['July 4th at noon', '2026-07-04T12:00:00.000Z'],
  ])('%s is %s', (text, moment) => {
    standIn(zone)

    expect(read(text)).toBe(moment)
  })
})

test('a time of the day that is over is that of tomorrow', () => {
  expect(read('9am')).toBe('2026-07-02T09:00:00.000Z')
  expect(read('at 11:00')).toBe('2026-07-01T11:00:00.000Z')
})

test('summer and winter time of a zone are told apart', () => {
  const winter = new Date('2026-01-05T10:00:00Z')

  expect(read('tomorrow at 3pm ET', winter)).toBe('2026-01-06T20:00:00.000Z')
  expect(read('tomorrow at 3pm ET')).toBe('2026-07-02T19:00:00.000Z')
})

test('it is in the future, or now, and at most thirty days ahead', () => {
  expect(read(NOW.toISOString())).toBe(NOW.toISOString())
  expect(read('2026-07-31T10:30:00Z')).toBe('2026-07-31T10:30:00.000Z')
  for (const past of ['2026-07-01T10:29:59.999Z', '2020-01-01', 'yesterday', '2 hours ago'])
    expect(() => read(past), past).toThrow('Invalid `scheduled_at` field. It must be in the future.')
  for (const far of ['2026-07-31T10:30:00.001Z', '2027-01-01', 'in 31 days', 'in 10 years'])
    expect(() => read(far), far).toThrow('Invalid `scheduled_at` field. It must be at most 30 days ahead.')
})

test('what is no time is refused', () => {
  const nonsense = [
    '',
    ' ',
    'soon',
    'banana',
    '2026-13-01',
    '2026-07-32T10:00Z',
    '2026-02-30T10:00:00Z',
    '2026-07-02T25:00Z',
  ]

  for (const text of nonsense)
    expect(() => read(text), text).toThrow(
      'Invalid `scheduled_at` field. It must be a date in ISO 8601, or words like `in 1 hour` or `tomorrow at 9am`.',
    )
})

test('hostile text takes no time', () => {
  const started = performance.now()

  for (const text of ['in '.repeat(100_000), '1 '.repeat(100_000), `2026-07-02T08:00${' '.repeat(100_000)}x`])
    expect(() => read(text)).toThrow('Invalid `scheduled_at` field.')

  expect(performance.now() - started).toBeLessThan(5_000)
})
