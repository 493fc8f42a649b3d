import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { cookieOf, FROM_OUR_PAGE, signedIn, signIn } from '../../../test/harness/browser-session.ts'

const DAY = 86_400

test('a key with full access opens a session that the API takes', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/topics', { name: 'News' })

  const somebody = await signedIn(app, acme.token)

  expect((await somebody.get('/topics')).body.data).toMatchObject([{ name: 'News' }])
  expect((await somebody.post('/topics', { name: 'Offers' })).status).toBe(201)
  expect((await somebody.get('/dashboard/session')).body).toMatchObject({
    object: 'session',
    key: { name: expect.stringContaining('acme') },
  })
})

test('scripts cannot read the cookie, and other sites do not send it', async () => {
  const app = await startApp()
  const secure = await startApp({ POSTWREN_PUBLIC_URL: 'https://mail.example.com' })

  const plain = String((await signIn(app, { key: (await app.as('acme')).token })).headers['set-cookie'])
  const strict = String((await signIn(secure, { key: (await secure.as('acme')).token })).headers['set-cookie'])

  expect(plain).toMatch(/^postwren_\w+=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/)
  expect(strict).toMatch(/^__Host-postwren_\w+=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800; Secure$/)
})

test('a key that may only send opens none, and neither does one that does not exist', async () => {
  const app = await startApp()
  const sender = await app.as('acme', 'sending_access')

  expect((await signIn(app, { key: sender.token })).body.name).toBe('restricted_api_key')
  expect((await signIn(app, { key: 're_nobody_knows' })).body.name).toBe('invalid_api_key')
  expect((await signIn(app, { key: '' })).body.name).toBe('missing_required_field')
})

test('the cookie alone opens nothing: another page could have sent it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const somebody = await signedIn(app, acme.token)
  const write = (headers: object) => somebody.post('/topics', { name: 'Forged' }, headers)

  expect((await somebody.get('/topics', { 'x-postwren-dashboard': undefined })).status).toBe(401)
  expect((await write({ 'x-postwren-dashboard': undefined })).status).toBe(401)
  expect((await write({ origin: undefined })).status).toBe(401)
  expect((await write({ origin: 'http://localhost:3000' })).status).toBe(401)
  expect((await write({ origin: 'https://evil.example' })).status).toBe(401)
  expect((await write({ origin: 'null' })).status).toBe(401)
  expect((await acme.get('/topics')).body.data).toEqual([])
})

test('nobody can be signed in by another page', async () => {
  const app = await startApp()
  const { token } = await app.as('acme')

  const reply = await app.send({
    method: 'POST',
    url: '/dashboard/session',
    payload: { key: token },
    headers: { ...FROM_OUR_PAGE, origin: 'https://evil.example' },
  })

  expect(reply.status).toBe(403)
  expect(reply.headers['set-cookie']).toBeUndefined()
})

test('behind a proxy that changes the host, the public address is ours too', async () => {
  const app = await startApp({ POSTWREN_PUBLIC_URL: 'https://mail.example.com' })
  const somebody = await signedIn(app, (await app.as('acme')).token)

  const reply = await somebody.post(
    '/topics',
    { name: 'News' },
    { origin: 'https://mail.example.com', host: 'backend' },
  )

  expect(reply.status).toBe(201)
})

test('a key in the header counts before the cookie', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await globex.post('/topics', { name: 'Theirs' })
  const somebody = await signedIn(app, acme.token)

  const { body } = await somebody.get('/topics', { authorization: `Bearer ${globex.token}` })

  expect(body.data).toMatchObject([{ name: 'Theirs' }])
})

test('a revoked key ends its sessions', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { id, token } = (await acme.post('/api-keys', { name: 'for a while' })).body
  const somebody = await signedIn(app, token)
  expect((await somebody.get('/topics')).status).toBe(200)

  await acme.delete(`/api-keys/${id}`)

  expect((await somebody.get('/topics')).status).toBe(401)
  expect((await somebody.get('/dashboard/session')).status).toBe(401)
})

test('signing out ends the session in every copy of its cookie', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const [here, there] = [await signedIn(app, acme.token), await signedIn(app, acme.token)]

  const reply = await here.delete('/dashboard/session')

  expect(String(reply.headers['set-cookie'])).toMatch(/=; .*Max-Age=0/)
  expect((await here.get('/topics')).status).toBe(401)
  expect((await there.get('/topics')).status).toBe(200)
})

test('a session ends after a week', async () => {
  const app = await startApp()
  const somebody = await signedIn(app, (await app.as('acme')).token)

  app.clock.advance(7 * DAY - 1)
  expect((await somebody.get('/topics')).status).toBe(200)
  app.clock.advance(2)
  expect((await somebody.get('/topics')).status).toBe(401)
})

test('a cookie that somebody made up is nobody’s', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const cookie = cookieOf(await signIn(app, { key: acme.token }))
  const [name, token = ''] = cookie.split('=')
  const [content = '', mac] = token.split('.')
  const forged = Buffer.from(
    Buffer.from(content, 'base64url')
      .toString()
      .replace(/"exp":\d/, '"exp":9'),
  ).toString('base64url')

  for (const value of ['', 'nonsense', content, `${forged}.${mac}`, `${token}.x`]) {
    const reply = await app.send({ url: '/topics', headers: { ...FROM_OUR_PAGE, cookie: `${name}=${value}` } })
    expect([value, reply.status]).toEqual([value, 401])
  }
})

test('on a laptop the start gives a link that signs in once', async () => {
  const app = await startApp()
  await app.as('acme')
  const link = new URLSearchParams(app.dashboard.makeLink()!).get('link')!

  const refused = { status: 403, body: { name: 'invalid_sign_in_link' } }
  expect(await signIn(app, { link: 'guessed' })).toMatchObject(refused)
  expect((await signIn(app, { link })).status).toBe(200)
  expect(await signIn(app, { link })).toMatchObject(refused)
})

test.each([{ POSTWREN_HOST: '0.0.0.0' }, { POSTWREN_DATABASE_URL: 'postgres://db.example/postwren' }])(
  'where others may come in there is no such link: %o',
  async (settings: Record<string, string>) => {
    const app = await startApp(settings)

    expect(app.dashboard.makeLink()).toBeNull()
  },
)

test('what the dashboard reads is not logged, and what it changes is', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const somebody = await signedIn(app, acme.token)

  await somebody.get('/topics')
  await somebody.post('/topics', { name: 'News' })
  await app.flush()

  const { body } = await acme.get('/logs')
  expect(body.data).toMatchObject([{ method: 'POST', endpoint: '/topics' }])
})
