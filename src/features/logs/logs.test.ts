import { expect, test } from 'vitest'
import { type App, type Client, type Reply, startApp } from '../../../test/harness/app.ts'
import { newId } from '../../../test/harness/ids.ts'
import { sql } from '../../kernel/db/sql.ts'
import { ensureRecurring } from '../../kernel/jobs/queries.ts'
import { sweepLogs } from './jobs.ts'

/** The entry of one call, by the id that its answer carried. */
async function logOf(app: App, client: Client, { headers }: { headers: Record<string, unknown> }) {
  await app.flush()
  return (await client.get(`/logs/${headers['x-request-id']}`)).body
}

test('a call is logged under the id that its answer carries', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const reply = await acme.post('/topics', { name: 'News', unknown: [1] }, { 'user-agent': 'resend-node:6.37.0' })

  expect(await logOf(app, acme, reply)).toEqual({
    object: 'log',
    id: reply.headers['x-request-id'],
    created_at: expect.any(String),
    endpoint: '/topics',
    method: 'POST',
    response_status: 201,
    duration_ms: expect.any(Number),
    user_agent: 'resend-node:6.37.0',
    ip_address: '127.0.0.1',
    actor: { type: 'api_key', id: expect.any(String), name: expect.stringContaining('key of acme') },
    request_body: { name: 'News', unknown: [1] },
    response_body: reply.body,
  })
})

test('an entry tells which key or person called, by the name that they had then', async () => {
  const app = await startApp()
  const [acme, ada] = [await app.as('acme'), await app.person('acme', 'developer')]
  const { body: key } = await acme.post('/api-keys', { name: 'Deploy' })
  const byKey = await app.send({ url: '/topics', headers: { authorization: `Bearer ${key.token}` } })
  const byPerson = await ada.post('/topics', { name: 'News' })
  const whose = async (reply: Reply) => (await logOf(app, acme, reply)).actor

  await acme.patch(`/api-keys/${key.id}`, { name: 'Production' })
  expect(await whose(byKey)).toEqual({ type: 'api_key', id: key.id, name: 'Deploy' })
  expect(await whose(byPerson)).toEqual({ type: 'user', id: ada.userId, name: ada.email })

  await acme.delete(`/api-keys/${key.id}`)
  expect(await whose(byKey)).toEqual({ type: 'api_key', id: key.id, name: 'Deploy' })
})

test('the list has the newest call first, and no bodies', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const calls = [await acme.get('/usage'), await acme.get('/topics?limit=1'), await acme.delete(`/topics/${newId()}`)]
  await app.flush()

  const { body } = await acme.get('/logs')

  expect(body.data.map(({ id }: { id: string }) => id)).toEqual(
    calls.map(({ headers }) => headers['x-request-id']).reverse(),
  )
  expect(Object.keys(body.data[0])).toEqual([
    'id',
    'created_at',
    'endpoint',
    'method',
    'response_status',
    'duration_ms',
    'user_agent',
    'ip_address',
    'actor',
  ])
  expect(body.data[0]).toMatchObject({ method: 'DELETE', response_status: 404 })
  expect(body.data[1].endpoint).toBe('/topics')
})

test('a call that is refused is logged with what was wrong', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const sender = await app.as('acme', 'sending_access')

  const refused = await acme.post('/topics', { name: '' })
  const restricted = await sender.get('/contacts')

  expect(await logOf(app, acme, refused)).toMatchObject({
    response_status: 422,
    request_body: { name: '' },
    response_body: refused.body,
  })
  expect(await logOf(app, acme, restricted)).toMatchObject({ response_status: 401, request_body: null })
})

test('what is not JSON is not kept, and neither is a body without end', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const headers = { 'content-type': 'application/json' }

  const malformed = await acme.send({ method: 'POST', url: '/topics', payload: '{"name', headers })
  const large = await acme.post('/topics', { name: 'News', padding: 'x'.repeat(20_000) })

  expect(await logOf(app, acme, malformed)).toMatchObject({ response_status: 400, request_body: null })
  expect(await logOf(app, acme, large)).toMatchObject({ request_body: null, response_body: large.body })
})

test('bodies come back as they were, whatever is in them', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const payload = `{"name":"\\"\\\\ \\u2028 🐦","__proto__":{"a":1},"deep":${'['.repeat(50)}${']'.repeat(50)},"big":1e400}`

  const reply = await acme.send({
    method: 'POST',
    url: '/topics',
    payload,
    headers: { 'content-type': 'application/json' },
  })
  await app.flush()

  expect((await acme.get(`/logs/${reply.headers['x-request-id']}`)).text).toContain(`"request_body":${payload}`)
})

test('the path is logged without its query, and an address in it as it came', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const reply = await acme.get('/contacts/ada%40example.com?secret=1')

  expect((await logOf(app, acme, reply)).endpoint).toBe('/contacts/ada%40example.com')
})

test('calls of another team, and calls of nobody, are not in the log', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const theirs = await globex.get('/topics')
  await app.send({ url: '/topics' })
  await app.send({ url: '/topics', headers: { authorization: 'Bearer re_unknown' } })
  await app.flush()

  expect((await acme.get('/logs')).body.data).toEqual([])
  expect((await acme.get(`/logs/${theirs.headers['x-request-id']}`)).body.message).toBe('Log not found')
  expect((await acme.get('/logs/1')).body).toMatchObject({
    statusCode: 422,
    message: 'The `logId` must be a valid UUID.',
    name: 'invalid_parameter',
  })
})

test('a long list that was streamed is logged without its items', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await app.db.query(sql`
    insert into segments (team_id, id, name, created_at)
    select ${acme.team}, gen_random_uuid(), 'x', now() from generate_series(1, 2100)`)

  const reply = await acme.get('/segments')

  expect(reply.body.data).toHaveLength(2_100)
  expect(await logOf(app, acme, reply)).toMatchObject({ response_status: 200, response_body: null })
})

test('entries are kept for the time that the settings say', async () => {
  const app = await startApp({ POSTWREN_RETENTION_LOGS: '2d' })
  const acme = await app.as('acme')
  const reply = await acme.get('/usage')
  await app.flush()
  await ensureRecurring(app.db, [sweepLogs])
  const isKept = async () => (await acme.get(`/logs/${reply.headers['x-request-id']}`)).status === 200

  app.clock.advance(47 * 3_600)
  await app.runDueJobs()
  expect(await isKept()).toBe(true)

  // What cannot go with its period is looked for every six hours.
  app.clock.advance(6 * 3_600)
  await app.runDueJobs()
  expect(await isKept()).toBe(false)
})
