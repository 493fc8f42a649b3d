import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'

test('usage counts what the team has, and no other', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await globex.post('/segments', { name: 'Theirs' })
  await acme.post('/segments', { name: 'Early' })
  for (const name of ['ada', 'bob']) await acme.post('/contacts', { email: `${name}@example.com` })

  const { body } = await acme.get('/usage')

  expect(body).toMatchObject({ object: 'usage', contacts: { used: 2 }, segments: { used: 1, limit: null } })
})

test('there is no plan: what clients take for a number is one, everything else is unlimited', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const { body } = await acme.get('/usage')

  const unlimited = Number.MAX_SAFE_INTEGER
  expect(body.emails.daily.limit).toBeNull()
  expect(body.emails.monthly.limit).toBe(unlimited)
  expect(body.contacts.limit).toBe(unlimited)
  expect(body.automation_runs.limit).toBe(unlimited)
  expect(body).toMatchObject({ broadcasts: { limit: null }, ai_credits: { limit: null }, domains: { limit: null } })
})

test('days and months end at midnight UTC', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  app.clock.advance((Date.UTC(2027, 11, 31, 23, 59, 59) - app.clock.now().getTime()) / 1_000)

  const { body } = await acme.get('/usage')

  expect(body.emails.daily.resets_at).toBe('2028-01-01T00:00:00.000Z')
  expect(body.emails.monthly.resets_at).toBe('2028-01-01T00:00:00.000Z')
  expect(body.automation_runs.resets_at).toBe('2028-01-01T00:00:00.000Z')
})

test('the rate limit is the one of the settings', async () => {
  const limited = await startApp({ POSTWREN_RATE_LIMIT: '500' })
  const unlimited = await startApp({ POSTWREN_RATE_LIMIT: '0' })

  const [some, none] = [
    await (await limited.as('acme')).get('/usage'),
    await (await unlimited.as('acme')).get('/usage'),
  ]

  expect(some.body.rate_limit).toEqual({ limit: 500, duration: '1000ms' })
  expect(none.body.rate_limit.limit).toBe(Number.MAX_SAFE_INTEGER)
})
