import { expect, test } from 'vitest'
import { connectAgent } from '../../../test/harness/agent.ts'
import { startApp } from '../../../test/harness/app.ts'
import { SIMPLE } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'
import { holdSteadyTime } from '../../../test/harness/steady-time.ts'
import { ENDPOINTS } from '../../features/index.ts'
import { sql } from '../../kernel/db/sql.ts'
import { toolName } from './tools.ts'

const ASKING = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

test.each(['auto', 'legacy'] as const)('an agent lists emails and sends one (protocol: %s)', async (era) => {
  const app = await startApp()
  const acme = await app.as('acme')
  const agent = await connectAgent(app, acme.token, era)

  const sent = await agent.call('emails_send', { ...SIMPLE })
  const listed = await agent.call('emails_list', { limit: 5 })

  const { id } = JSON.parse(sent.texts[0]!)
  expect(sent.isError).toBe(false)
  expect(JSON.parse(listed.texts[0]!).data).toMatchObject([{ id, subject: SIMPLE.subject }])
  expect((await acme.get(`/emails/${id}`)).body.to).toEqual([SIMPLE.to].flat())
})

test('each operation that a key may call is one tool', async () => {
  const app = await startApp()
  const [acme, sender] = [await app.as('acme'), await app.as('acme', 'sending_access')]
  const namesFor = async (token: string) => (await (await connectAgent(app, token)).tools()).map(({ name }) => name)
  const forKeys = ENDPOINTS.filter(({ access }) => !['people', 'owner', 'person', 'operator'].includes(access))

  expect(await namesFor(acme.token)).toEqual(forKeys.map(({ id }) => toolName(id)))
  expect((await namesFor(sender.token)).sort()).toEqual([
    'broadcasts_send',
    'emails_batch',
    'emails_dry_run',
    'emails_send',
  ])
})

test('a call is a request like any other: permission, log and all', async () => {
  const app = await startApp()
  const [acme, sender] = [await app.as('acme'), await app.as('acme', 'sending_access')]
  const agent = await connectAgent(app, acme.token)

  const refused = await (await connectAgent(app, sender.token)).call('topics_create', { name: 'News' })
  const invalid = await agent.call('topics_create', { name: '' })
  await agent.call('topics_create', { name: 'News' })
  await app.flush()

  expect(refused).toEqual({
    isError: true,
    texts: ['This API key is restricted to only send emails. (restricted_api_key)'],
  })
  expect(invalid).toMatchObject({ isError: true, texts: [expect.stringContaining('`name`')] })
  const { body } = await acme.get('/logs?limit=3')
  expect(body.data).toMatchObject([
    { endpoint: '/topics', method: 'POST', response_status: 201, user_agent: 'an agent' },
    { endpoint: '/topics', method: 'POST', response_status: 422 },
    { endpoint: '/topics', method: 'POST', response_status: 401 },
  ])
})

test('arguments go where they belong: path, query, body, or a file', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const agent = await connectAgent(app, acme.token)
  const { id: topic } = (await acme.post('/topics', { name: 'News' })).body
  const { id: contact } = (await acme.post('/contacts', { email: 'ada@example.com' })).body

  await agent.call('topics_update', { id: topic, name: 'Monthly' })
  await agent.call('contacts_topics_update', {
    idOrEmail: 'ada@example.com',
    body: [{ id: topic, subscription: 'opt_out' }],
  })
  const found = await agent.call('suppressions_list', { limit: 1 })
  const imported = await agent.call('contacts_imports_create', {
    file: 'email\nbob@example.com\n',
    on_conflict: 'skip',
  })
  await app.runDueJobs()

  expect((await acme.get(`/topics/${topic}`)).body.name).toBe('Monthly')
  expect((await acme.get(`/contacts/${contact}/topics`)).body.data[0].subscription).toBe('opt_out')
  expect(found.isError).toBe(false)
  expect(imported.isError).toBe(false)
  expect((await acme.get('/contacts/bob@example.com')).body.email).toBe('bob@example.com')
})

test('what makes no request is refused with a sentence, and reaches nothing', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const agent = await connectAgent(app, acme.token)
  const { id: segment } = (await acme.post('/segments', { name: 'Early' })).body

  const answers = [
    await agent.call('topics_get', {}),
    await agent.call('topics_get', { id: '' }),
    await agent.call('topics_get', { id: { a: 1 } }),
    await agent.call('topics_get', { id: newId(), name: 'x' }),
    // Below `/contacts/..` are the segments themselves.
    await agent.call('contacts_segments_remove', { idOrEmail: '..', segmentId: segment }),
    await agent.call('topics_get', { id: `../segments/${segment}` }),
    await agent.call('topics_list', { limit: [1, 2] }),
    await agent.call('topics_list', { limit: '0&after=x' }),
    await agent.call('usage_get', { __proto__: { a: 1 }, constructor: 1 }),
  ]

  expect(answers.map(({ isError }) => isError)).toEqual(answers.map(() => true))
  expect(answers.map(({ texts }) => texts[0]).slice(0, 4)).toEqual([
    'Missing `id`.',
    'The `id` must not be "".',
    'The `id` must be a text.',
    'There is no argument `name`. It takes `id`.',
  ])
  expect((await acme.get(`/segments/${segment}`)).status).toBe(200)
  await expect(agent.call('topics_explode')).rejects.toThrow('Unknown tool')
})

test('a long answer is made short enough to be read, and says so', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const agent = await connectAgent(app, acme.token)
  const { id } = (await acme.post('/emails', { ...SIMPLE, html: `<p>${'word '.repeat(400_000)}</p>` })).body
  await app.db.query(sql`
    insert into segments (team_id, id, name, created_at)
    select ${acme.team}, gen_random_uuid(), repeat('x', 70), now() from generate_series(1, 300)`)

  const email = await agent.call('emails_get', { id })
  const list = await agent.call('segments_list', { limit: 100 })
  const usual = await agent.call('segments_list')

  expect(email.texts[0]!.length).toBeLessThanOrEqual(25_000)
  expect(email.texts[1]).toContain('first 25000 characters')
  expect(list.texts.join('').length).toBeLessThanOrEqual(25_500)
  expect(JSON.parse(usual.texts[0]!).data).toHaveLength(20)
})

test('an agent without a key is told that it needs one, and a stranger sends no body', async () => {
  const app = await startApp()
  const url = '/mcp'

  const none = await app.send({ method: 'POST', url, headers: ASKING, payload: listTools })
  const wrong = await app.send({
    method: 'POST',
    url,
    headers: { ...ASKING, authorization: 'Bearer re_1' },
    payload: 'x',
  })

  expect(none.body).toMatchObject({ statusCode: 401, name: 'missing_api_key' })
  expect(wrong.body).toMatchObject({ statusCode: 403, name: 'invalid_api_key' })
})

test('a page of another site, a list of messages and what is no message are refused', async () => {
  const app = await startApp()
  const { token } = await app.as('acme')
  const send = async (method: 'GET' | 'POST' | 'DELETE', payload?: unknown, headers = {}) => {
    const own = { ...ASKING, authorization: `Bearer ${token}`, ...headers }
    const reply = await app.server.inject({ method, url: '/mcp', headers: own, payload: payload as object })
    return reply.statusCode
  }

  const foreign = await app.send({
    ...{ method: 'POST', url: '/mcp', payload: listTools },
    headers: { ...ASKING, authorization: `Bearer ${token}`, origin: 'https://evil.example' },
  })

  expect(foreign).toMatchObject({ status: 403, body: { name: 'origin_not_allowed' } })
  expect(await send('POST', listTools, { origin: 'http://localhost:80' })).toBe(200)
  expect(await send('POST', Array(1_000).fill(listTools))).toBe(400)
  expect(await send('POST', '{"jsonrpc":')).toBe(400)
  expect(await send('POST', { hello: 'world' })).toBe(400)
  expect(await send('POST', 'null')).toBe(400)
  expect(await send('POST', `${'['.repeat(500)}${']'.repeat(500)}`)).toBe(422)
  expect(await send('POST', { ...listTools, padding: 'x'.repeat(1024 * 1024) })).toBe(413)
  expect(await send('POST', 'tools/list', { 'content-type': 'text/plain' })).toBe(415)
  expect(await send('GET')).toBe(405)
  expect(await send('DELETE')).toBe(405)
})

test('a batch gets one error in the words of JSON-RPC', async () => {
  const app = await startApp()
  const { token } = await app.as('acme')
  const headers = { ...ASKING, authorization: `Bearer ${token}` }

  const reply = await app.server.inject({ method: 'POST', url: '/mcp', headers, payload: [listTools, listTools] })

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32_600 }, id: null })
})

test('agents are counted as everybody else: once for each thing that they do', async () => {
  holdSteadyTime()
  const app = await startApp({ POSTWREN_RATE_LIMIT: '3' })
  const acme = await app.as('acme')
  const post = (method: string, params: object) =>
    acme.send({ method: 'POST', url: '/mcp', headers: ASKING, payload: { ...listTools, method, params } })
  const call = () => post('tools/call', { name: 'usage_get', arguments: {} })

  expect((await post('tools/list', {})).status).toBe(200)
  expect((await call()).text).not.toContain('rate_limit_exceeded')
  expect((await call()).text).not.toContain('rate_limit_exceeded')
  expect((await call()).text).toContain('rate_limit_exceeded')
  expect((await post('tools/list', {})).status).toBe(429)
})

test('below the path of a sandbox an agent acts in it, and nowhere else', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const sandbox = await app.sandboxOf(acme)
  const ask = (url: string, client: Pick<typeof acme, 'send'>) =>
    client.send({
      method: 'POST',
      url,
      headers: ASKING,
      payload: { ...listTools, method: 'tools/call', params: { name: 'emails_send', arguments: { ...SIMPLE } } },
    })

  expect((await ask(`/sandboxes/${sandbox.team}/mcp`, acme)).status).toBe(200)
  expect((await ask(`/sandboxes/${sandbox.team}/mcp`, await app.as('globex'))).status).toBe(404)

  expect((await sandbox.get('/emails')).body.data).toMatchObject([{ subject: SIMPLE.subject }])
  expect((await acme.get('/emails')).body.data).toEqual([])
})
