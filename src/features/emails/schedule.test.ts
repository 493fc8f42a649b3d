import { describe, expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { terminates } from '../../../test/harness/watchdog.ts'
import { namedZone } from '../../mail/time-zone.ts'
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
    ['tomorrow at 9am Asia/Tokyo', '2026-07-02T00:00:00.000Z'],
    ['2026-07-20 10:00 America/New_York', '2026-07-20T14:00:00.000Z'],
    ['2026-07-20T10:00:30.5[america/new_york]', '2026-07-20T14:00:30.500Z'],
    ['2026-07-20T10:00+02:00[Europe/Paris]', '2026-07-20T08:00:00.000Z'],
    ['2026-07-20 Asia/Kolkata', '2026-07-19T18:30:00.000Z'],
    ['Friday at 3pm (Europe/Berlin)', '2026-07-03T13:00:00.000Z'],
    ['Friday at 3pm in Europe/Berlin', '2026-07-03T13:00:00.000Z'],
    ['9am Australia/Adelaide tomorrow', '2026-07-01T23:30:00.000Z'],
    ['in 2 hours Asia/Tokyo', '2026-07-01T12:30:00.000Z'],
    ['in 2 days Asia/Tokyo', '2026-07-03T10:30:00.000Z'],
    ['tomorrow at 9am UTC+2', '2026-07-02T07:00:00.000Z'],
    ['tomorrow at 9am GMT-03:30', '2026-07-02T12:30:00.000Z'],
    ['tomorrow at 9:00 +0530', '2026-07-02T03:30:00.000Z'],
    ['Thu, 2 Jul 2026 09:00:00 +0100', '2026-07-02T08:00:00.000Z'],
    ['tomorrow at 9am cest', '2026-07-02T07:00:00.000Z'],
    ['tomorrow at 9am CET', '2026-07-02T07:00:00.000Z'],
    ['tomorrow at noon PT', '2026-07-02T19:00:00.000Z'],
    ['at noon, on Friday', '2026-07-03T12:00:00.000Z'],
    ['2026-07-02 09:00Z', '2026-07-02T09:00:00.000Z'],
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

test('tomorrow is that of the zone', () => {
  const late = new Date('2026-07-01T22:30:00Z')

  expect(read('tomorrow at 9am', late)).toBe('2026-07-02T09:00:00.000Z')
  expect(read('tomorrow at 9am Asia/Tokyo', late)).toBe('2026-07-03T00:00:00.000Z')
  expect(read('tomorrow at 9am Asia/Tokyo', NOW)).toBe('2026-07-02T00:00:00.000Z')
})

test('the zone of the author counts for a text without one', () => {
  const berlin = namedZone('Europe/Berlin')!

  expect(readSchedule('tomorrow at 9am', NOW, berlin).toISOString()).toBe('2026-07-02T07:00:00.000Z')
  expect(readSchedule('2026-07-02 09:00', NOW, berlin).toISOString()).toBe('2026-07-02T07:00:00.000Z')
  expect(readSchedule('2026-07-02T09:00Z', NOW, berlin).toISOString()).toBe('2026-07-02T09:00:00.000Z')
  expect(readSchedule('tomorrow at 9am ET', NOW, berlin).toISOString()).toBe('2026-07-02T13:00:00.000Z')
})

test.each([
  // Clocks go from 2:00 to 3:00: half past two is as late as it would have been.
  ['2026-03-20', '2026-03-29 02:30 Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  ['2026-03-20', '2026-03-29 03:00 Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  ['2026-03-20', '2026-03-29 01:59 Europe/Berlin', '2026-03-29T00:59:00.000Z'],
  // Clocks go from 3:00 back to 2:00: half past two comes twice, and it is the first.
  ['2026-10-20', '2026-10-25 02:30 Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['2026-10-20', '2026-10-25 03:00 Europe/Berlin', '2026-10-25T02:00:00.000Z'],
  ['2026-10-20', '2026-10-25 02:30 CEST', '2026-10-25T00:30:00.000Z'],
  // Half an hour, and the other hemisphere.
  ['2026-10-01', '2026-10-04 02:15 Australia/Lord_Howe', '2026-10-03T15:45:00.000Z'],
  ['2026-03-28', 'tomorrow at 9am Europe/Berlin', '2026-03-29T07:00:00.000Z'],
  ['2026-03-28', 'in 2 days Europe/Berlin', '2026-03-29T23:00:00.000Z'],
  ['2026-03-28', 'in 24 hours Europe/Berlin', '2026-03-29T00:00:00.000Z'],
])('from %s, %s is %s when clocks change', (day, text, moment) => {
  expect(read(text, new Date(`${day}T00:00:00Z`))).toBe(moment)
})

test.each([
  ['tomorrow at 9am Tokyo', '`Tokyo` was not understood.'],
  ['tomorrow at 9am Mars/Olympus', '`Mars/Olympus` was not understood. It is no time zone.'],
  ['tomorrow at 25:00', '`at 25:00` was not understood.'],
  ['half past 9 tomorrow', '`half past 9` was not understood.'],
  ['please tomorrow at 9am sharp', '`please … sharp` was not understood.'],
  ['tomorrow at 9am or friday', '`or friday` was not understood.'],
  ['tomorrow 9am - 10am', '`tomorrow 9am - 10am` was not understood. It is more than one moment.'],
  ['tomorrow at 9am IST', '`tomorrow at 9am IST` was not understood. Its time zone needs a name like `Asia/Kolkata`.'],
  ['2026-07-20T10:00+05:00[Europe/Paris]', 'It has another time zone than Europe/Paris.'],
  ['tomorrow at 9am ET PT', 'It has another time zone than America/New_York.'],
  ['tomorrow at 9:00 GMT+99', '`GMT+99` was not understood.'],
  ['2026-02-30T10:00:00Z', '`2026-02-30T10:00:00Z` was not understood. There is no such time.'],
])('%s is refused, and the words say why', (text, why) => {
  expect(() => read(text)).toThrow(why)
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
  const nonsense = ['', ' ', 'soon', 'banana']

  for (const text of nonsense)
    expect(() => read(text), text).toThrow(
      'Invalid `scheduled_at` field. It must be a date in ISO 8601, or words like `in 1 hour` or `tomorrow at 9am Europe/Berlin`.',
    )
})

test('hostile text takes time for its length', () => {
  for (const text of ['in '.repeat(1_000_000), '1 '.repeat(1_000_000), `2026-07-02T08:00${' '.repeat(1_000_000)}x`])
    expect(() => terminates(() => read(text))).toThrow('Invalid `scheduled_at` field.')
})

test('who asks is told the moment before anything is sent', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const ask = async (query: Record<string, string>) => acme.get(`/emails/schedule?${new URLSearchParams(query)}`)
  const day = new Date(app.clock.now().getTime() + 2 * 86_400_000).toISOString().slice(0, 10)

  const told = await ask({ scheduled_at: `${day} 10:00`, timezone: 'Asia/Tokyo' })

  expect(told.body).toEqual({ object: 'schedule', scheduled_at: `${day}T01:00:00.000Z` })
  expect((await ask({ scheduled_at: `${day} 10:00` })).body.scheduled_at).toBe(`${day}T10:00:00.000Z`)
  expect((await ask({ scheduled_at: 'soon' })).body).toMatchObject({ statusCode: 422, name: 'validation_error' })
  expect((await ask({ scheduled_at: day, timezone: 'Mars' })).body.message).toContain('Invalid `timezone`.')
  expect((await ask({})).body.message).toBe('Missing `scheduled_at` parameter.')
})

/** A Friday, the day before clocks go back in Berlin. */
const AUTUMN = new Date('2026-10-23T20:30:00Z')

test.each([
  ['tomorrow at 9am', 'Europe/Berlin', '2026-10-24T07:00:00.000Z'],
  ['monday at 9am', 'Europe/Berlin', '2026-10-26T08:00:00.000Z'], // in winter again
  ['2026-10-25 12:00', 'Europe/Berlin', '2026-10-25T11:00:00.000Z'],
  ['2026-10-24T09:00', 'America/New_York', '2026-10-24T13:00:00.000Z'],
  ['2026-11-01', 'Asia/Tokyo', '2026-10-31T15:00:00.000Z'],
  ['tomorrow at 9am', 'Asia/Kolkata', '2026-10-25T03:30:00.000Z'], // it is Saturday there already
  ['in 48 hours', 'Europe/Berlin', '2026-10-25T20:30:00.000Z'],
  ['2026-10-25 12:00+02', 'Asia/Tokyo', '2026-10-25T10:00:00.000Z'],
  ['tomorrow at 3pm UTC', 'Europe/Berlin', '2026-10-24T15:00:00.000Z'],
])('%s, written by somebody in %s, is %s', (text, zone, moment) => {
  expect(readSchedule(text, AUTUMN, namedZone(zone)!).toISOString()).toBe(moment)
})
