import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { guardedKey, MAIL, startGuarded } from '../../../test/harness/guarded.ts'
import { sql } from '../../kernel/db/sql.ts'
import { PRODUCT } from '../index.ts'

const DAY = 86_400

test('a dry run says what would become of an email, and changes nothing', async () => {
  const { acme, agent } = await startGuarded({ recipients: { domains: ['example.com'] }, max_emails_per_day: 1 })
  const tell = async (client: Pick<typeof agent, 'post'>, email: object = {}) =>
    (await client.post('/emails/dry-run', { ...MAIL, ...email })).body

  expect(await tell(agent)).toEqual({ object: 'dry_run', result: 'send', refusals: [] })
  const refused = await tell(agent, { to: ['eve@evil.test', 'ada@example.com'] })
  expect(refused.result).toBe('refuse')
  expect(refused.refusals.map(({ rule }: { rule: string }) => rule)).toEqual(['recipients', 'max_emails_per_day'])
  expect(refused.refusals[0].message).toContain('`recipients` does not allow eve@evil.test')
  expect(await tell(acme)).toEqual({ object: 'dry_run', result: 'send', refusals: [] })
  expect((await acme.post('/emails/dry-run', { ...MAIL, to: 'nobody' })).status).toBe(422)
  expect((await agent.post('/emails', MAIL)).status).toBe(200)
  expect((await tell(agent)).result).toBe('refuse')
  expect((await acme.get('/emails')).body.data).toHaveLength(1)
})

test('a policy that is a dry run sends everything, and records what it would have refused', async () => {
  const { acme, agent } = await startGuarded({ recipients: { domains: ['acme.dev'] }, no_bcc: true, dry_run: true })

  expect((await agent.post('/emails', { ...MAIL, bcc: 'bob@example.org' })).status).toBe(200)
  expect((await agent.post('/emails/dry-run', MAIL)).body).toMatchObject({
    result: 'send',
    refusals: [{ rule: 'recipients' }],
  })

  const { refusals, emails, data } = (await acme.get(`/api-keys/${agent.id}/activity`)).body
  expect(refusals.map(({ rule, is_dry_run }: { rule: string; is_dry_run: boolean }) => [rule, is_dry_run])).toEqual([
    ['no_bcc', true],
    ['recipients', true],
  ])
  expect(emails).toHaveLength(1)
  expect(data.at(-1)).toMatchObject({ emails: 1, recipients: 2, refusals: 0 })
})

test('an owner sees what a key did, and what it tried', async () => {
  const { app, acme, agent } = await startGuarded({ recipients: { domains: ['example.com'] }, max_emails_per_day: 3 })
  await agent.post('/emails', MAIL)
  app.clock.advance(DAY)
  const { body: sent } = await agent.post('/emails', { ...MAIL, cc: 'bob@example.com' })
  for (const subject of ['One', 'Two']) await agent.post('/emails', { ...MAIL, to: 'eve@evil.test', subject })
  await agent.post('/emails', { ...MAIL, to: ['a@example.com', 'b@example.com'] })

  const { body } = await acme.get(`/api-keys/${agent.id}/activity`)

  expect(body).toMatchObject({
    object: 'policy_activity',
    id: agent.id,
    holder: 'api_key',
    policy: { max_emails_per_day: 3 },
    used: { emails_last_hour: 2 },
  })
  expect(body.data).toHaveLength(30)
  expect(body.data.slice(-2)).toEqual([
    { date: expect.any(String), emails: 1, recipients: 1, refusals: 0, held: 0 },
    { date: app.clock.now().toISOString().slice(0, 10), emails: 1, recipients: 2, refusals: 5, held: 0 },
  ])
  expect(body.refusals).toMatchObject([
    // Who may not be written to at all would have been too many, besides.
    { rule: 'max_emails_per_day', emails: 3, is_dry_run: false },
    { rule: 'recipients', emails: 2, from: MAIL.from, recipients: ['eve@evil.test'], subject: 'Two' },
  ])
  expect(body.emails).toMatchObject([{ id: sent.id, to: ['ada@example.com'], subject: 'Hello' }, {}])
  const globex = await app.as('globex')
  expect((await globex.get(`/api-keys/${agent.id}/activity`)).status).toBe(404)
})

test('a flood of refusals is a few rows, and none of them is long', async () => {
  const { app, acme, agent } = await startGuarded({ recipients: { domains: ['acme.dev'] } })
  const to = Array.from({ length: 50 }, (_, n) => `user${n}@evil.test`)

  await Promise.all(
    Array.from({ length: 200 }, () => agent.post('/emails', { ...MAIL, to, subject: '🐦'.repeat(400) })),
  )

  const [row, ...others] = (await acme.get(`/api-keys/${agent.id}/activity`)).body.refusals
  expect(others).toEqual([])
  expect(row).toMatchObject({ rule: 'recipients', emails: 200, subject: '🐦'.repeat(320) })
  expect(row.recipients).toHaveLength(10)
  await app.flush()
})

test('a strict batch is refused as a whole; of a permissive one, what each email is refused for is told with its place', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const agent = await guardedKey(app, acme, { recipients: { domains: ['example.com'] }, max_emails_per_day: 3 })
  const wrong = { ...MAIL, to: 'eve@evil.test' }
  const permissive = { 'x-batch-validation': 'permissive' }

  expect((await agent.post('/emails/batch', [MAIL, wrong])).status).toBe(403)
  const mixed = await agent.post('/emails/batch', [wrong, MAIL, { from: 'nobody' }, MAIL], permissive)
  const tooMany = await agent.post('/emails/batch', [MAIL, MAIL], permissive)

  expect(mixed.body.data).toHaveLength(2)
  expect(mixed.body.errors.map(({ index }: { index: number }) => index)).toEqual([0, 2])
  expect(mixed.body.errors[0].message).toContain('`recipients` does not allow eve@evil.test')
  expect(tooMany.body.message).toContain('`max_emails_per_day` allows 3 emails in 24 hours, and 2 were sent')
  expect((await acme.get('/emails')).body.data).toHaveLength(2)
  expect((await acme.get(`/api-keys/${agent.id}/activity`)).body.data.at(-1)).toMatchObject({ emails: 2, refusals: 3 })
})

test('what a key did is forgotten after 90 days, and what is counted after a day', async () => {
  const { app, acme, agent } = await startGuarded({ recipients: { domains: ['example.com'] } })
  await agent.post('/emails', MAIL)
  await agent.post('/emails', { ...MAIL, to: 'eve@evil.test' })
  const sweep = async () => {
    for (const rule of PRODUCT.retention.filter(({ name }) => name.startsWith('policies.')))
      await rule.sweepTeam(app.services, acme.team)
  }
  const counts = async () => {
    const [row] =
      await app.db.query(sql`select (select count(*)::int from policy_uses where team_id = ${acme.team}) as uses,
      (select count(*)::int from policy_refusals where team_id = ${acme.team}) as refusals,
      (select count(*)::int from policy_emails where team_id = ${acme.team}) as emails`)
    return row
  }

  await sweep()
  expect(await counts()).toEqual({ uses: 2, refusals: 1, emails: 1 })
  app.clock.advance(2 * DAY)
  await sweep()
  expect(await counts()).toEqual({ uses: 0, refusals: 1, emails: 1 })
  app.clock.advance(90 * DAY)
  await sweep()
  expect(await counts()).toEqual({ uses: 0, refusals: 0, emails: 0 })
})
