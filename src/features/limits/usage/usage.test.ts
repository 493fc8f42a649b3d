import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { arrive, RICH, receivingTeam } from '../../../../test/harness/arriving.ts'
import { SIMPLE, sendEmail } from '../../../../test/harness/emails.ts'
import { limit } from '../../../../test/harness/operators.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { deleteOldUsage, foldSome } from '../usage.ts'

test('usage counts what the team has, and no other', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await globex.post('/segments', { name: 'Theirs' })
  await acme.post('/segments', { name: 'Early' })
  for (const name of ['ada', 'bob']) await acme.post('/contacts', { email: `${name}@example.com` })

  const { body } = await acme.get('/usage')

  expect(body).toMatchObject({ object: 'usage', contacts: { used: 2 }, segments: { used: 1, limit: null } })
})

test('usage counts recipients of the day and of the month, received mail, broadcasts and domains', async () => {
  const app = await startApp()
  const { client: acme, domain } = await receivingTeam(app, 'acme')
  const goTo = (moment: string) => app.clock.advance((Date.parse(moment) - app.clock.now().getTime()) / 1_000)
  goTo('2027-05-31T23:59:59Z')
  await sendEmail(acme)
  goTo('2027-06-01T00:00:00Z')
  await sendEmail(acme, { to: ['ada@example.com', 'bob@example.com'], bcc: ['cy@example.com'] })
  goTo('2027-06-15T00:00:00Z')
  await acme.post('/emails/batch', [SIMPLE, { ...SIMPLE, cc: ['bob@example.com'], scheduled_at: 'in 2 days' }])
  await arrive(app, RICH, { to: [`desk@${domain}`, `sales@${domain}`] })
  const { body: segment } = await acme.post('/segments', { name: 'Early' })
  await acme.post('/broadcasts', { ...SIMPLE, segment_id: segment.id })
  await app.db.query(sql`
    insert into automation_usage (team_id, month, runs) values (${acme.team}, '2027-05-01', 5), (${acme.team}, '2027-06-01', 3)`)

  const { body } = await acme.get('/usage')

  expect(body).toMatchObject({
    emails: { daily: { used: 4, sent: 3, received: 1 }, monthly: { used: 7, sent: 6, received: 1 } },
    broadcasts: { used: 1 },
    domains: { used: 1 },
    automation_runs: { used: 3 },
  })
})

test('what was counted in many rows is added up, and stays what it was', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const now = app.clock.now()
  const inUse = (Math.floor(now.getTime() / 60_000) % 1_000_000) * 1_000 + 7
  const [today, other, old] = [0, 100, 1_000].map((days) =>
    new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10),
  ) as [string, string, string]
  await app.db.query(sql`
    insert into team_usage (team_id, day, slot, sent, received)
    values (${acme.team}, ${other}, 0, 1, 0), (${acme.team}, ${other}, 3, 10, 2), (${acme.team}, ${other}, 9, 100, 0),
      (${acme.team}, ${today}, ${inUse}, 5, 0), (${acme.team}, ${old}, 3, 7, 0)`)

  await foldSome(app.db)
  await foldSome(app.db)
  await deleteOldUsage(app.db)

  const rows = await app.db.query(sql`
    select day::text, slot, sent::int, received::int from team_usage where team_id = ${acme.team} order by day`)
  expect(rows).toEqual([
    { day: other, slot: 0, sent: 111, received: 2 },
    { day: today, slot: inUse, sent: 5, received: 0 },
  ])
})

test('limits are those that the operator has set', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await limit(app, acme, { emails_per_day: 10, emails_per_month: 100, contacts: 5, domains: 1, webhooks: 2 })

  const { body } = await acme.get('/usage')

  expect(body).toMatchObject({
    emails: { daily: { limit: 10 }, monthly: { limit: 100 } },
    contacts: { limit: 5 },
    domains: { limit: 1 },
    webhooks: { limit: 2 },
  })
})

test('without limits, what clients take for a number is one, everything else is unlimited', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const { body } = await acme.get('/usage')

  const unlimited = 2 ** 31 - 1
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
  expect(none.body.rate_limit.limit).toBe(2 ** 31 - 1)
})
