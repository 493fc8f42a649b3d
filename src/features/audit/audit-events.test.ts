import { expect, test } from 'vitest'
import { type Client, startApp } from '../../../test/harness/app.ts'
import { signedIn } from '../../../test/harness/browser-session.ts'
import { newId } from '../../../test/harness/ids.ts'
import { sweepAuditEvents } from '../../kernel/audit/jobs.ts'
import { sql } from '../../kernel/db/sql.ts'
import { ensureRecurring } from '../../kernel/jobs/queries.ts'

// That each endpoint leaves its event is in test/endpoints.test.ts, and when one is written in src/kernel/audit.

const eventsOf = async (client: Pick<Client, 'get'>, query = '') =>
  (await client.get(`/audit-events?limit=100&${query}`)).body.data

test('a change is told: who, what, when, from where, under the id of its request', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const reply = await acme.send({
    ...{ method: 'POST', url: '/topics', payload: { name: 'News' }, remoteAddress: '203.0.113.9' },
    headers: { 'user-agent': `resend-node:6.37.0 ${'x'.repeat(1_000)}` },
  })

  const [event, ...others] = await eventsOf(acme)
  expect(others).toEqual([])
  expect(event).toEqual({
    id: reply.headers['x-request-id'],
    created_at: expect.any(String),
    actor: { type: 'api_key', id: expect.any(String), name: expect.stringContaining('key of acme') },
    action: 'topics.create',
    object_id: reply.body.id,
    details: { name: 'News' },
    ip_address: '203.0.113.9',
    user_agent: expect.stringMatching(/^resend-node:6\.37\.0 x{1,481}$/),
  })
})

test('people are told by their address, and whoever came in with a key as that key', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const ada = await app.person('acme', 'developer')
  const page = await signedIn(app, acme.token)

  await ada.post('/topics', { name: 'News' })
  await page.post('/topics', { name: 'More' })

  expect((await eventsOf(acme)).map(({ actor }: { actor: object }) => actor)).toEqual([
    { type: 'api_key', id: expect.any(String), name: expect.stringContaining('key of acme') },
    { type: 'user', id: ada.userId, name: ada.email },
  ])
})

test('what is refused is not told', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const viewer = await app.person('acme', 'viewer')

  const replies = [
    await acme.post('/topics', { name: '' }),
    await acme.delete(`/topics/${newId()}`),
    await viewer.post('/topics', { name: 'News' }),
    await acme.delete(`/segments/${newId()}`),
  ]

  expect(replies.map(({ status }) => status)).toEqual([422, 404, 403, 200])
  expect(await eventsOf(acme)).toEqual([])
})

test('a key that deletes itself is told by its name', async () => {
  const app = await startApp()
  const [acme, ada] = [await app.as('acme'), await app.person('acme', 'owner')]
  const { body: key } = await acme.post('/api-keys', { name: 'Short-lived' })

  await app.send({
    ...{ method: 'DELETE', url: `/api-keys/${key.id}` },
    headers: { authorization: `Bearer ${key.token}` },
  })

  expect((await eventsOf(ada))[0]).toMatchObject({
    actor: { type: 'api_key', id: key.id, name: 'Short-lived' },
    action: 'api-keys.remove',
    object_id: key.id,
  })
})

test('events are found by who, what, which and when', async () => {
  const app = await startApp()
  const [acme, ada] = [await app.as('acme'), await app.person('acme', 'owner')]
  const { id: topic } = (await ada.post('/topics', { name: 'News' })).body
  await acme.patch(`/topics/${topic}`, { name: 'Old news' })
  await acme.post('/segments', { name: 'Early' })
  const actions = async (query: string) => (await eventsOf(acme, query)).map(({ action }: { action: string }) => action)

  expect(await actions(`actor_id=${ada.userId}`)).toEqual(['topics.create'])
  expect(await actions('action=segments.create')).toEqual(['segments.create'])
  expect(await actions(`object_id=${topic}`)).toEqual(['topics.update', 'topics.create'])
  expect(await actions('created_after=2000-01-01')).toHaveLength(3)
  expect(await actions('created_before=2000-01-01')).toEqual([])
  expect((await acme.get('/audit-events?created_after=soon')).body).toMatchObject({ name: 'invalid_parameter' })
})

test('only who looks after the team reads it, each team its own, and nobody changes it', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await acme.post('/topics', { name: 'News' })
  const readers = [acme, await app.person('acme', 'owner'), await app.person('acme', 'admin')]
  const others = [await app.person('acme', 'developer'), await app.person('acme', 'viewer')]

  for (const reader of readers) expect(await eventsOf(reader)).toHaveLength(1)
  for (const other of others)
    for (const path of ['/audit-events', '/audit-events/export']) expect((await other.get(path)).status).toBe(403)
  expect(await eventsOf(globex)).toEqual([])
  expect((await globex.get('/audit-events/export')).text.split('\r\n')).toHaveLength(2)
  expect((await acme.delete('/audit-events')).status).toBe(405)
})

test('the file has a line for each event that fits, and no formulas', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await app.db.query(sql`
    insert into audit_events (team_id, id, actor_kind, action, user_agent, details, created_at)
    select ${acme.team}, ('01932b5c-7d3e-7c46-9a51-' || lpad(n::text, 12, '0'))::uuid, 'system', 'a"b,c',
      '=HYPERLINK("x")', '{"name":"x"}', now() from generate_series(1, 2100) n`)
  await acme.post('/topics', { name: 'News' })

  const { headers, text } = await acme.get('/audit-events/export')
  const lines = text.split('\r\n')
  const filtered = (await acme.get('/audit-events/export?action=topics.create')).text.split('\r\n')

  expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(lines[0]).toBe('created_at,actor_type,actor_id,actor_name,action,object_id,details,ip_address,user_agent,id')
  expect(lines).toHaveLength(2_103)
  expect(lines[1]).toContain(',topics.create,')
  expect(lines[2]).toMatch(
    /^\d{4}-[^,]+,system,,,"a""b,c",,"\{""name"":""x""\}",,"'=HYPERLINK\(""x""\)",01932b5c-.*2100$/,
  )
  expect(filtered).toEqual([lines[0], lines[1], ''])
})

test('events are kept for the time that the settings say', async () => {
  const app = await startApp({ POSTWREN_RETENTION_AUDIT: '2d' })
  const acme = await app.as('acme')
  await acme.post('/topics', { name: 'News' })
  await ensureRecurring(app.db, [sweepAuditEvents])

  app.clock.advance(47 * 3_600)
  await app.runDueJobs()
  expect(await eventsOf(acme)).toHaveLength(1)

  app.clock.advance(2 * 3_600)
  await app.runDueJobs()
  expect(await eventsOf(acme)).toEqual([])
})
