import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { clientOf, guardedKey, MAIL, startGuarded } from '../../../test/harness/guarded.ts'
import { newId } from '../../../test/harness/ids.ts'
import { sql } from '../../kernel/db/sql.ts'

const HOUR = 3_600

const refusedBy = (rule: string, rest: string) => ({
  statusCode: 403,
  message: expect.stringContaining(
    `Refused by the policy of this API key: \`${rule}\` ${rest} Ask an owner or an admin of the team to change the policy: http://localhost:4025/dashboard/api-keys/`,
  ),
  name: 'policy_refused',
})

test('a key sends to whom its policy allows, and a refusal names the rule', async () => {
  const { acme, agent } = await startGuarded({ recipients: { addresses: ['Ada@Example.com'], domains: ['acme.dev'] } })

  expect((await agent.post('/emails', MAIL)).status).toBe(200)
  expect((await agent.post('/emails', { ...MAIL, to: 'anybody@ACME.dev' })).status).toBe(200)
  expect((await agent.post('/emails', { ...MAIL, cc: 'bob@example.org' })).body).toEqual(
    refusedBy('recipients', 'does not allow bob@example.org.'),
  )
  expect((await acme.get('/emails')).body.data).toHaveLength(2)
})

test('each rule refuses what it does not allow', async () => {
  const { app, acme } = await startGuarded({ no_bcc: true })
  const post = async (policy: Parameters<typeof guardedKey>[2], email: object) =>
    (await (await guardedKey(app, acme, policy)).post('/emails', { ...MAIL, ...email })).body

  expect(await post({ no_bcc: true }, { bcc: 'bob@example.org' })).toEqual(
    refusedBy('no_bcc', 'allows no blind copy to bob@example.org.'),
  )
  expect(await post({ senders: ['sales@acme.dev', 'globex.dev'] }, {})).toEqual(
    refusedBy('senders', 'does not allow support@acme.dev.'),
  )
  expect(await post({ templates_only: true }, {})).toEqual(
    refusedBy(
      'templates_only',
      'allows the subject, content and Reply-To of a template, without attachments and headers.',
    ),
  )
  expect(await post({ max_emails_per_hour: 1 }, { to: ['a@x.dev', 'b@x.dev'] })).toEqual(
    refusedBy('max_emails_per_hour', 'allows 1 email in 60 minutes, and 0 were sent.'),
  )
  expect(await post({ max_emails_per_day: 0 }, {})).toEqual(
    refusedBy('max_emails_per_day', 'allows 0 emails in 24 hours, and 0 were sent.'),
  )
  expect(await post({ max_emails_per_recipient_per_day: 1 }, { to: ['ada@x.dev', 'ADA+1@x.dev'] })).toEqual(
    refusedBy('max_emails_per_recipient_per_day', 'allows 1 email in 24 hours to ada@x.dev.'),
  )
})

test('caps count any 60 minutes and any 24 hours', async () => {
  const { app, agent } = await startGuarded({ max_emails_per_hour: 2, max_emails_per_day: 3 })
  const send = async () => (await agent.post('/emails', MAIL)).status

  expect([await send(), await send(), await send()]).toEqual([200, 200, 403])
  app.clock.advance(HOUR - 120)
  expect(await send()).toBe(403)
  app.clock.advance(300)
  expect([await send(), await send()]).toEqual([200, 403])
  app.clock.advance(23 * HOUR)
  expect([await send(), await send(), await send()]).toEqual([200, 200, 403])
})

test('a key with a policy reads and sends, and changes nothing', async () => {
  const { app, acme, agent } = await startGuarded({ max_emails_per_day: 10 })
  const { body: segment } = await acme.post('/segments', { name: 'All' })
  const { body: draft } = await acme.post('/broadcasts', {
    ...{ segment_id: segment.id, from: MAIL.from, subject: 'News', text: 'News' },
  })
  const { body: sandbox } = await acme.post('/sandboxes', {})

  const refused = [
    await agent.post('/api-keys', { name: 'Unguarded' }),
    await agent.patch(`/api-keys/${agent.id}`, { policy: null }),
    await agent.delete(`/api-keys/${agent.id}`),
    await agent.post('/contacts', { email: 'ada@example.com' }),
    await agent.post('/templates', { name: 'T', html: 'x' }),
    await agent.post('/webhooks', { endpoint: 'https://example.com', events: ['email.sent'] }),
    await agent.post('/events/send', { event: 'user.created', email: 'ada@example.com' }),
    await agent.post('/sandboxes', {}),
    await agent.post(`/broadcasts/${draft.id}/send`, {}),
    await app.send({ method: 'POST', url: `/sandboxes/${sandbox.id}/emails`, payload: MAIL }, agent.token),
  ]

  expect(refused.map(({ status, body }) => [status, body.name])).toEqual(refused.map(() => [403, 'policy_refused']))
  expect(refused[0]!.body.message).toContain('has a policy')
  expect((await agent.get('/emails')).status).toBe(200)
  expect((await agent.get(`/api-keys/${agent.id}`)).body.policy).toEqual({ max_emails_per_day: 10 })
})

test('a policy is shown, changed and removed, and goes with its key', async () => {
  const { app, acme, agent } = await startGuarded({ recipients: { domains: ['acme.dev'] } })
  const send = async () => (await agent.post('/emails', MAIL)).status

  expect(await send()).toBe(403)
  expect((await acme.patch(`/api-keys/${agent.id}`, { policy: { no_bcc: true } })).status).toBe(200)
  expect(await send()).toBe(200)
  expect((await acme.get('/api-keys/details')).body.data[0]).toMatchObject({
    name: 'Guarded',
    policy: { no_bcc: true },
  })
  expect((await acme.patch(`/api-keys/${agent.id}`, { policy: null })).status).toBe(200)
  expect((await acme.get(`/api-keys/${agent.id}`)).body.policy).toBeNull()
  expect((await agent.post('/contacts', { email: 'ada@example.com' })).status).toBe(201)
  await acme.patch(`/api-keys/${agent.id}`, { policy: { no_bcc: true } })
  expect((await acme.delete(`/api-keys/${agent.id}`)).status).toBe(200)
  expect(await app.db.query(sql`select from policies where team_id = ${acme.team}`)).toEqual([])
})

test('a policy that makes no sense is refused', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const post = async (policy: unknown) => (await acme.post('/api-keys', { name: 'Guarded', policy })).body

  expect((await post({})).name).toBe('validation_error')
  expect((await post({ senders: ['no domain'] })).message).toContain('`no domain` is neither an address nor a domain')
  expect((await post({ recipients: { domains: ['localhost'] } })).message).toContain('`localhost` is not a domain')
  expect((await post({ recipients: { segment_id: newId() } })).message).toBe('Segment not found')
  expect((await post({ max_emails_per_day: -1 })).name).toBe('validation_error')
  expect((await acme.get('/api-keys')).body.data).toHaveLength(1)
})

test('whoever is in a segment can be written to, as long as they are', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: segment } = await acme.post('/segments', { name: 'Customers' })
  const { body: ada } = await acme.post('/contacts', { email: 'Ada@example.com', segments: [{ id: segment.id }] })
  await acme.post('/contacts', { email: 'bob@example.com' })
  const agent = await guardedKey(app, acme, { recipients: { segment_id: segment.id } })
  const send = async (to: string) => (await agent.post('/emails', { ...MAIL, to })).status

  expect([await send('ADA@example.com'), await send('bob@example.com')]).toEqual([200, 403])
  await acme.delete(`/contacts/${ada.id}/segments/${segment.id}`)
  expect(await send('ada@example.com')).toBe(403)
  await acme.delete(`/segments/${segment.id}`)
  expect(await send('ada@example.com')).toBe(403)
})

test('a change counts at once in other processes', async () => {
  const { acme, agent } = await startGuarded({ max_emails_per_day: 10 })
  const elsewhere = clientOf(await startApp(), agent)
  expect((await elsewhere.post('/emails', MAIL)).status).toBe(200)

  await acme.patch(`/api-keys/${agent.id}`, { policy: { recipients: { domains: ['acme.dev'] } } })

  expect((await elsewhere.post('/emails', MAIL)).status).toBe(403)
})
