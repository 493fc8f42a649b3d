import { expect, test } from 'vitest'
import { FailedLogins } from './failed-logins.ts'

function counting(maxClients?: number) {
  const time = { ms: 1_000 }
  return { time, logins: new FailedLogins({ now: () => time.ms, ...(maxClients && { maxClients }) }) }
}

function fail(logins: FailedLogins, address: string, times: number) {
  for (let time = 0; time < times; time++) logins.add(address)
}

test('thirty failures are too many, and one is forgotten every ten seconds', () => {
  const { time, logins } = counting()

  fail(logins, '192.0.2.1', 29)
  expect(logins.hasTooMany('192.0.2.1')).toBe(false)
  fail(logins, '192.0.2.1', 1)
  expect(logins.hasTooMany('192.0.2.1')).toBe(true)
  expect(logins.hasTooMany('192.0.2.2')).toBe(false)

  time.ms += 10_000
  expect(logins.hasTooMany('192.0.2.1')).toBe(false)
  fail(logins, '192.0.2.1', 1)
  expect(logins.hasTooMany('192.0.2.1')).toBe(true)
})

test('a client that fails once a minute is never locked out', () => {
  const { time, logins } = counting()

  for (let minute = 0; minute < 1_000; minute++, time.ms += 60_000) {
    expect(logins.hasTooMany('192.0.2.1')).toBe(false)
    logins.add('192.0.2.1')
  }
})

test('the neighbours of an IPv6 address are the same client', () => {
  const { logins } = counting()

  for (let host = 1; host <= 30; host++) logins.add(`2001:db8:1:2::${host}`)

  expect(logins.hasTooMany('2001:db8:1:2::ffff')).toBe(true)
  expect(logins.hasTooMany('2001:db8:1:3::1')).toBe(false)
})

test('a bounded number of clients is remembered, and whoever failed least recently is forgotten first', () => {
  const { logins } = counting(2)
  fail(logins, '192.0.2.1', 30)
  fail(logins, '192.0.2.2', 30)
  fail(logins, '192.0.2.1', 1)

  logins.add('192.0.2.3')

  expect(logins.size).toBe(2)
  expect(logins.hasTooMany('192.0.2.1')).toBe(true)
  expect(logins.hasTooMany('192.0.2.2')).toBe(false)
})
