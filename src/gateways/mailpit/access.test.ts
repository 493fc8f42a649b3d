import type { InjectOptions } from 'fastify'
import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'
import { findFirstTeam } from '../../features/teams/reads.ts'
import { sql } from '../../kernel/db/sql.ts'

const get = (app: App, url: string, headers: Record<string, string> = {}, more: InjectOptions = {}) =>
  app.send({ method: 'GET', url, headers, ...more })

const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})

test('at a laptop no key is asked for: it is the team that was there first', async () => {
  const { app } = await startAcme()

  const { status, body } = await app.send({
    method: 'POST',
    url: '/api/v1/send',
    payload: { From: { Email: 'a@example.com' }, To: [{ Email: 'b@example.com' }], Text: 'Hi' },
  })

  expect(status).toBe(200)
  const [row] = await app.db.query<{ team: string }>(sql`select team_id as team from emails where id = ${body.ID}`)
  expect(row!.team).toBe(await findFirstTeam(app.db))
  expect((await get(app, `/api/v1/message/${body.ID}`)).status).toBe(200)
  // A login of the Mailpit that was here before.
  expect((await get(app, '/api/v1/info', basic('mailpit', 'secret'))).status).toBe(200)
})

test.each([
  ['a page of another site', { origin: 'https://evil.example' }],
  ['a page without an origin of its own', { origin: 'null' }],
  ['a page on another port', { origin: 'http://localhost:5173' }],
  ['a picture on a page of another site', { 'sec-fetch-site': 'cross-site' }],
  ['a script on another port', { 'sec-fetch-site': 'same-site' }],
  ['a name that a stranger has pointed here', { host: 'evil.example' }],
  ['a name that only looks like ours', { host: 'localhost.evil.example' }],
])('%s neither reads nor deletes', async (_what, headers: Record<string, string>) => {
  const { app, acme } = await startAcme()
  const id = await sendEmail(acme)

  for (const request of [
    { method: 'GET', url: '/api/v1/messages' },
    { method: 'GET', url: '/view/latest.html' },
    { method: 'DELETE', url: '/api/v1/messages' },
    { method: 'PUT', url: '/api/v1/messages', payload: { Read: true } },
    { method: 'POST', url: '/api/v1/send', payload: {} },
  ] as const) {
    const reply = await app.send({ ...request, headers })
    expect(reply.status).toBe(403)
    expect(Object.keys(reply.body)).toEqual(['Error'])
    expect(reply.headers['access-control-allow-origin']).toBeUndefined()
  }
  // Neither does it with a password that the browser remembers.
  if (!('host' in headers))
    expect((await get(app, '/api/v1/messages', { ...headers, ...basic('', acme.token) })).status).toBe(403)
  expect((await acme.get(`/messages/${id}`)).body.is_read).toBe(false)
})

test('our own page and an address that somebody types are let in', async () => {
  const { app } = await startAcme()

  expect((await get(app, '/api/v1/messages', { host: 'localhost:3000', origin: 'http://localhost:3000' })).status).toBe(
    200,
  )
  expect((await get(app, '/api/v1/messages', { 'sec-fetch-site': 'none' })).status).toBe(200)
})

test.each([
  ['another machine', {}, { remoteAddress: '192.0.2.7' }],
  ['another machine, through a proxy', { 'x-forwarded-for': '192.0.2.7' }, {}],
  ['a proxy that does not say for whom', { 'x-forwarded-proto': 'https' }, {}],
  ['a proxy that says little', { via: '1.1 somewhere' }, {}],
])('%s needs a key', async (_what, headers, more) => {
  const { app } = await startAcme()

  const {
    status,
    headers: answered,
    body,
  } = await get(app, '/api/v1/messages', headers as Record<string, string>, more)

  expect(status).toBe(401)
  expect(answered['www-authenticate']).toMatch(/^Basic realm=/)
  expect(body).toEqual({ Error: 'Missing API key in the authorization header.' })
})

test.each([
  { POSTWREN_HOST: '0.0.0.0' },
  { POSTWREN_PUBLIC_URL: 'https://mail.example.com' },
  { POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: 'smtp://relay.example.com' },
])('a server wants a key from everybody (%j)', async (settings) => {
  const { app, acme } = await startAcme(settings as Record<string, string>)

  expect((await get(app, '/api/v1/messages')).status).toBe(401)
  expect((await get(app, '/api/v1/messages', basic('mailpit', 'secret'))).status).toBe(401)
  expect((await get(app, '/api/v1/messages', basic('anybody', acme.token))).status).toBe(200)
  expect((await get(app, '/api/v1/messages', basic(acme.token, ''))).status).toBe(200)
  expect((await acme.get('/api/v1/messages')).status).toBe(200)
})

test('a wrong key opens nothing, not even at a laptop', async () => {
  const app = await startApp()
  const wrong = `re_wrong123_${'y'.repeat(24)}`

  for (const login of [basic('me', wrong), basic(wrong, ''), { authorization: `Bearer ${wrong}` }]) {
    const { status, body } = await get(app, '/api/v1/messages', login)
    expect([status, body]).toEqual([401, { Error: 'API key is invalid' }])
  }
  expect((await get(app, '/api/v1/messages', { authorization: 'Basic ????' })).status).toBe(401)
})

test('a key that may only send sends, and reads and deletes nothing', async () => {
  const { app } = await startAcme()
  const sender = await app.as('acme', 'sending_access')
  const mail = { From: { Email: 'a@example.com' }, To: [{ Email: 'b@example.com' }], Text: 'Hi' }

  expect((await sender.post('/api/v1/send', mail)).status).toBe(200)
  expect((await sender.get('/api/v1/messages')).status).toBe(401)
  expect((await sender.get('/view/latest.html')).status).toBe(401)
  expect((await sender.delete('/api/v1/messages')).status).toBe(401)
  expect((await sender.get('/api/v1/chaos')).status).toBe(401)
})

test('a team sees its own mail only, and a sandbox its own, by its key or below its path', async () => {
  const { app, acme } = await startAcme()
  const globex = await app.as('globex')
  const box = await app.sandboxOf(acme)
  const id = await sendEmail(acme)
  const inBox = await sendEmail(box)
  const idsOf = ({ body }: { body: { messages: { ID: string }[] } }) => body.messages.map(({ ID }) => ID)

  expect(idsOf(await acme.get('/api/v1/messages'))).toEqual([id])
  expect(idsOf(await globex.get('/api/v1/messages'))).toEqual([])
  expect((await globex.get(`/api/v1/message/${id}`)).status).toBe(404)
  await globex.delete('/api/v1/messages', { IDs: [id] })
  await globex.send({ method: 'PUT', url: '/api/v1/tags', payload: { IDs: [id], Tags: ['x'] } })
  expect((await acme.get(`/messages/${id}`)).body.labels).toEqual([])
  for (const reply of [
    await box.get('/api/v1/messages'),
    await acme.get(`/sandboxes/${box.team}/api/v1/messages`),
    await get(app, `/sandboxes/${box.team}/api/v1/messages`, basic('', acme.token)),
  ])
    expect(idsOf(reply)).toEqual([inBox])
  expect((await acme.get(`/sandboxes/${box.team}/view/${inBox}.html`)).text).toContain('<p>Hi</p>')
  expect((await globex.get(`/sandboxes/${box.team}/api/v1/messages`)).status).toBe(404)
  expect((await acme.get(`/sandboxes/${newId()}/api/v1/messages`)).status).toBe(404)
})

test('who asks too often is told so', async () => {
  const { acme } = await startAcme({ POSTWREN_RATE_LIMIT: '2' })

  const replies = await Promise.all([1, 2, 3, 4, 5].map(() => acme.get('/api/v1/tags')))

  expect(replies.map(({ status }) => status)).toContain(429)
  expect(replies.find(({ status }) => status === 429)!.body).toEqual({ Error: expect.stringContaining('2 requests') })
})
