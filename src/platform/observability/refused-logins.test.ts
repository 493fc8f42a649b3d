import { afterEach, expect, test, vi } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { PEER } from '../../../test/harness/arriving.ts'
import { readableLog } from '../../../test/harness/log.ts'
import { Metrics } from './metrics.ts'
import { RefusedLogins } from './refused-logins.ts'

afterEach(() => void vi.useRealTimers())

test('a key that is not valid is written down, with where it came from and how it begins', async () => {
  const { log, saying, text } = readableLog()
  const app = await startApp({}, { log })
  // Keys are base64url, also their beginnings.
  const token = 're_-bcdefg-_the-rest_is_secret'

  await app.send({ method: 'GET', url: '/emails', headers: { authorization: `Bearer ${token}` } })
  await app.send({ method: 'GET', url: '/emails', headers: { authorization: 'Bearer my-bank-password' } })
  await app.send({ method: 'GET', url: '/emails' })

  expect(saying('http: login refused')).toEqual([
    { door: 'http', reason: 'invalid', address: '127.0.0.1', key: 're_-bcdefg-' },
    { door: 'http', reason: 'invalid', address: '127.0.0.1' },
  ])
  expect(text()).not.toMatch(/secret|bank/)
  const metrics = await app.metrics.render()
  expect(metrics).toContain('postwren_refused_logins_total{door="http",reason="invalid"} 2\n')
  expect(metrics).toContain('postwren_refused_logins_total{door="http",reason="missing"} 1\n')
})

test('so is one that may not do what it was used for', async () => {
  const { log, saying } = readableLog()
  const app = await startApp({}, { log })

  await (await app.as('acme', 'sending_access')).get('/contacts')

  expect(saying('http: login refused')).toMatchObject([{ door: 'http', reason: 'restricted' }])
})

test('and one over SMTP', async () => {
  const { log, saying } = readableLog()
  const app = await startApp({ POSTWREN_SMTP_AUTH: 'key' }, { log })

  await app.handler.authenticate({ username: 'resend', password: 're_abcdefgh_the_rest_is_secret' }, PEER)

  expect(saying('smtp: login refused')).toEqual([
    { door: 'smtp', reason: 'invalid', address: PEER.address, key: 're_abcdefgh' },
  ])
  expect(await app.metrics.render()).toContain('postwren_refused_logins_total{door="smtp",reason="invalid"} 1\n')
})

test('a flood is counted and not written down', () => {
  vi.useFakeTimers()
  const { log, saying } = readableLog()
  const logins = new RefusedLogins('smtp', { log, metrics: new Metrics() })
  const guess = () => logins.note({ reason: 'invalid', address: '192.0.2.1' })

  for (let count = 0; count < 5_000; count++) guess()
  expect(saying('smtp: login refused')).toHaveLength(10)
  vi.advanceTimersByTime(1_000)
  guess()

  expect(saying('smtp: more logins refused within a second')).toEqual([{ door: 'smtp', logins: 4_990 }])
  expect(saying('smtp: login refused')).toHaveLength(11)
})
