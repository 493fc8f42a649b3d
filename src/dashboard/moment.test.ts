import { expect, test } from 'vitest'
import { startApp } from '../../test/harness/app.ts'
import { signedIn } from '../../test/harness/browser-session.ts'
import { readSchedule } from '../resources/emails/schedule.ts'
import { momentIn } from './moment.ts'

/** A Friday, the day before clocks go back in Berlin. */
const NOW = new Date('2026-10-23T20:30:00Z')
const BERLIN = 'Europe/Berlin'

test.each([
  ['tomorrow at 9am', BERLIN, '2026-10-24T07:00:00.000Z'],
  ['monday at 9am', BERLIN, '2026-10-26T08:00:00.000Z'], // in winter again
  ['2026-10-25 12:00', BERLIN, '2026-10-25T11:00:00.000Z'],
  ['2026-10-24T09:00', 'America/New_York', '2026-10-24T13:00:00.000Z'],
  ['2026-11-01', 'Asia/Tokyo', '2026-10-31T15:00:00.000Z'],
  ['tomorrow at 9am', 'Asia/Kolkata', '2026-10-25T03:30:00.000Z'], // it is Saturday there already
  ['in 2 hours', BERLIN, '2026-10-23T22:30:00.000Z'],
  ['in 48 hours', BERLIN, '2026-10-25T20:30:00.000Z'],
  ['2026-10-25T12:00Z', BERLIN, '2026-10-25T12:00:00.000Z'],
  ['2026-10-25 12:00+02', 'Asia/Tokyo', '2026-10-25T10:00:00.000Z'],
  ['tomorrow at 3pm UTC', BERLIN, '2026-10-24T15:00:00.000Z'],
  ['tomorrow at 3pm EST', BERLIN, '2026-10-24T20:00:00.000Z'],
])('%s in %s is %s', (text, zone, moment) => {
  expect(momentIn(zone, text, NOW, readSchedule).toISOString()).toBe(moment)
})

test('the dashboard asks when a text is before it saves it, and hears why it is no time', async () => {
  const app = await startApp()
  const somebody = await signedIn(app, (await app.as('acme')).token)
  const ask = (text: string, zone = BERLIN) => somebody.get(`/dashboard/moment?${new URLSearchParams({ text, zone })}`)

  const { body } = await ask('in 1 hour')
  expect(Date.parse(body.at) - app.clock.now().getTime()).toBeLessThanOrEqual(3_600_000)
  expect((await ask('soonish')).body.message).toContain('words like `in 1 hour`')
  expect((await ask('2001-01-01')).body.message).toContain('in the future')
  expect((await ask('in 1 hour', 'Mars/Olympus')).status).toBe(200)
  expect((await ask('tomorrow', 'Mars/Olympus')).body.name).toBe('invalid_parameter')
  expect((await ask('x'.repeat(5_000))).status).toBe(422)
  expect((await app.send({ url: '/dashboard/moment?text=tomorrow&zone=UTC' })).status).toBe(403)
})
