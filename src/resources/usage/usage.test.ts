import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { domainNamed, freshName } from '../../../test/harness/domains.ts'
import { SIMPLE } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'
import { sql } from '../../platform/db/sql.ts'

test('usage counts what the team has, and no other', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await globex.post('/segments', { name: 'Theirs' })
  await acme.post('/segments', { name: 'Early' })
  for (const name of ['ada', 'bob']) await acme.post('/contacts', { email: `${name}@example.com` })

  const { body } = await acme.get('/usage')

  expect(body).toMatchObject({ object: 'usage', contacts: { used: 2 }, segments: { used: 1, limit: null } })
})

test('usage counts emails of the day and of the month, broadcasts and domains', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const noon = new Date(Date.UTC(2027, 5, 15, 12))
  app.clock.advance((noon.getTime() - app.clock.now().getTime()) / 1_000)
  const happen = (type: string, at: string, about = newId()) =>
    app.db.query(sql`
      insert into outbox (team_id, id, type, data, about, created_at)
      values (${acme.team}, ${newId()}, ${type}, '{}', ${about}, ${at})`)
  const twice = newId()
  await happen('email.sent', '2027-05-31T23:59:59Z')
  await happen('email.sent', '2027-06-01T00:00:00Z')
  await happen('email.received', '2027-06-14T23:59:59Z')
  await happen('email.sent', '2027-06-15T00:00:00Z', twice)
  await happen('email.delivered', '2027-06-15T00:00:01Z', twice)
  await happen('email.received', '2027-06-15T11:59:59Z')
  const { body: segment } = await acme.post('/segments', { name: 'Early' })
  await acme.post('/broadcasts', { ...SIMPLE, segment_id: segment.id })
  await acme.post('/domains', domainNamed(freshName()))
  await app.db.query(sql`
    insert into automation_usage (team_id, month, runs) values (${acme.team}, '2027-05-01', 5), (${acme.team}, '2027-06-01', 3)`)

  const { body } = await acme.get('/usage')

  expect(body).toMatchObject({
    emails: { daily: { used: 2, sent: 1, received: 1 }, monthly: { used: 4, sent: 2, received: 2 } },
    broadcasts: { used: 1 },
    domains: { used: 1 },
    automation_runs: { used: 3 },
  })
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
