import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { signedIn } from '../../../test/harness/browser-session.ts'
import {
  authorize,
  CALLBACK,
  callOAuth,
  callWith,
  getCode,
  getTokens,
  locationOf,
  newVerifier,
  register,
} from '../../../test/harness/oauth.ts'
import { sql } from '../../kernel/db/sql.ts'
import { CLI } from './client.ts'

/** What was answered: where the browser goes, or the error. */
const outcome = async (reply: ReturnType<typeof authorize>) => {
  const { status, body, headers } = await reply
  return status === 302 ? String(headers.location).split('?')[0] : `${status} ${body.error}`
}

test('the CLI is sent back to an address of this machine, and not to a name', async () => {
  const app = await startApp()
  const status = async (redirect_uri: string) => (await authorize(app, { redirect_uri })).status

  expect(await status('http://127.0.0.1:49152/oauth/callback')).toBe(302)
  expect(await status('http://[::1]:49152/oauth/callback')).toBe(302)
  expect(await status('http://localhost:49152/oauth/callback')).toBe(400)
})

test('a client that registered for a scheme which is refused today is sent nowhere', async () => {
  const app = await startApp()
  const { body: client } = await register(app)
  await app.db.query(sql`update oauth_clients set redirect_uris = '{search-ms:query}' where id = ${client.client_id}`)

  const { status, body } = await authorize(app, { client_id: client.client_id, redirect_uri: 'search-ms:query' })

  expect([status, body.error]).toEqual([400, 'invalid_request'])
})

test('a browser is sent to the page where people are asked', async () => {
  const app = await startApp()

  const reply = await authorize(app)

  expect(reply.status).toBe(302)
  expect(reply.headers['cache-control']).toBe('no-store')
  expect(locationOf(reply).href).toMatch(/^http:\/\/localhost:4025\/dashboard\/authorize\?request=/)
})

test('the redirect URI is compared exactly, but for the port of a loopback address', async () => {
  const app = await startApp()
  const redirect_uris = ['https://app.example.com/cb', 'http://127.0.0.1/cb?x=1', 'com.example.app:/cb']
  const { body: client } = await register(app, { redirect_uris })
  const page = 'http://localhost:4025/dashboard/authorize'
  const at = (redirect_uri: string | undefined) =>
    outcome(authorize(app, { client_id: client.client_id, redirect_uri }))

  for (const uri of [...redirect_uris, 'http://127.0.0.1:1/cb?x=1', 'http://127.0.0.1:65535/cb?x=1'])
    expect([uri, await at(uri)]).toEqual([uri, page])
  const wrong = [
    'https://app.example.com/cb/',
    'https://app.example.com/cb?',
    'https://app.example.com:443/cb',
    'https://app.example.com:8443/cb',
    'https://APP.example.com/cb',
    'https://app.example.com.evil.example/cb',
    'https://app.example.com@evil.example/cb',
    'https://app.example.com/cb/../cb',
    'https://app.example.com/cb#x',
    'http://app.example.com/cb',
    'http://localhost/cb?x=1',
    'http://[::1]/cb?x=1',
    'http://127.0.0.1/cb',
    'http://127.0.0.1/cb?x=2',
    'http://127.0.0.1:80@evil.example/cb?x=1',
    'http://127.0.0.1.evil.example/cb?x=1',
    'http://127.0.0.1:/cb?x=1',
    'http://127.0.0.1:123456/cb?x=1',
    'https://127.0.0.1/cb?x=1',
    'com.example.app:/cb2',
    'javascript:alert(1)',
    undefined,
  ]
  for (const uri of wrong) expect([uri, await at(uri)]).toEqual([uri, '400 invalid_request'])
})

test('a client that nobody knows is told so, and nobody is redirected', async () => {
  const app = await startApp()

  expect(await outcome(authorize(app, { client_id: 'nobody' }))).toBe('401 invalid_client')
  expect(await outcome(authorize(app, { client_id: '\0' }))).toBe('401 invalid_client')
  expect(await outcome(authorize(app, { client_id: undefined }))).toBe('400 invalid_request')
})

const WRONG: [Record<string, string | undefined>, string][] = [
  [{ response_type: 'token' }, 'unsupported_response_type'],
  [{ response_type: undefined }, 'invalid_request'],
  [{ response_mode: 'fragment' }, 'invalid_request'],
  [{ code_challenge: undefined }, 'invalid_request'],
  [{ code_challenge: 'short' }, 'invalid_request'],
  [{ code_challenge_method: 'plain' }, 'invalid_request'],
  [{ code_challenge_method: undefined }, 'invalid_request'],
  [{ state: 'x'.repeat(1_025) }, 'invalid_request'],
  [{ scope: 'full_access everything' }, 'invalid_scope'],
  [{ resource: 'https://evil.example/mcp' }, 'invalid_target'],
]

test('a program on one’s own machine gets errors by redirect, with its state', async () => {
  const app = await startApp()
  const { body: native } = await register(app, { redirect_uris: ['com.example.app:/cb'] })

  for (const [words, error] of WRONG) {
    const { searchParams } = locationOf(await authorize(app, { state: 'mine', ...words }))
    expect([words, Object.fromEntries(searchParams)]).toEqual([
      words,
      {
        error,
        error_description: expect.any(String),
        state: words.state ? 'x'.repeat(1_024) : 'mine',
        iss: 'http://localhost:4025',
      },
    ])
  }
  const toNative = authorize(app, { client_id: native.client_id, redirect_uri: 'com.example.app:/cb', scope: 'x' })
  expect(await outcome(toNative)).toBe('com.example.app:/cb')
})

test('an address on the web gets none: our links must not redirect to whoever registers', async () => {
  const app = await startApp()
  const redirect_uri = 'https://evil.example/cb'
  const { body: client } = await register(app, { redirect_uris: [redirect_uri] })

  for (const [words, error] of WRONG)
    expect(await outcome(authorize(app, { client_id: client.client_id, redirect_uri, ...words }))).toBe(`400 ${error}`)
})

test('what is said twice is refused', async () => {
  const app = await startApp()
  const { challenge } = newVerifier()
  const query = `client_id=${CLI.id}&redirect_uri=${encodeURIComponent(CALLBACK)}&response_type=code&code_challenge=${challenge}&code_challenge_method=S256`

  const reply = await app.send({ method: 'GET', url: `/oauth/authorize?${query}&redirect_uri=https://evil.example` })

  expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
})

test('without a scope it is all that the client has registered for', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { body: client } = await register(app, { scope: 'emails:send' })
  const scopesOf = async (words: Record<string, string>) => {
    const request = locationOf(await authorize(app, words)).searchParams.get('request')
    return (await ada.get(`/dashboard/oauth/request?request=${request}`)).body.scopes
  }

  expect(await scopesOf({})).toEqual(['full_access', 'emails:send'])
  expect(await scopesOf({ client_id: client.client_id })).toEqual(['emails:send'])
  const more = await authorize(app, { client_id: client.client_id, scope: 'full_access' })
  expect(locationOf(more).searchParams.get('error')).toBe('invalid_scope')
})

test('the page shows who asks, and where the answer goes', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'viewer')
  const redirect_uri = 'https://app.example.com/cb'
  const { body: client } = await register(app, { client_name: 'Example', redirect_uris: [redirect_uri] })
  const page = locationOf(await authorize(app, { client_id: client.client_id, redirect_uri }))

  const { body } = await ada.get(`/dashboard/oauth/request${page.search}`)

  expect(body).toEqual({
    object: 'oauth_request',
    client: { id: client.client_id, name: 'Example', kind: 'registered', host: null },
    scopes: ['full_access', 'emails:send'],
    sent_to: 'app.example.com',
  })
})

test('a request is good for ten minutes, and as it was signed', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const request = locationOf(await authorize(app)).searchParams.get('request')!
  const at = async (text: unknown) =>
    (await ada.post('/dashboard/oauth/approve', { request: text, team: ada.team })).status
  const [content] = request.split('.')
  const other = Buffer.from(
    Buffer.from(content!, 'base64url').toString().replace('127.0.0.1', 'evil.example'),
  ).toString('base64url')

  expect(await at(request.replace(content!, other))).toBe(422)
  expect(await at(undefined)).toBe(422)
  expect(await at(request)).toBe(200)
  app.clock.advance(11 * 60)
  expect(await at(request)).toBe(422)
})

test('a person lets a program in for a team of theirs, and for no other', async () => {
  const app = await startApp()
  const [ada, globex] = [await app.person('acme', 'owner'), await app.as('globex')]
  const request = locationOf(await authorize(app)).searchParams.get('request')

  const foreign = await ada.post('/dashboard/oauth/approve', { request, team: globex.team })

  expect(foreign.body).toMatchObject({ name: 'invalid_permission', message: 'You are not a member of this team.' })
  expect((await ada.post('/dashboard/oauth/approve', { request })).status).toBe(422)
})

test('only our own page answers, for a person and not for a key', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const request = locationOf(await authorize(app)).searchParams.get('request')
  const url = '/dashboard/oauth/approve'
  const payload = { request, team: ada.team }

  const foreign = await ada.send({ method: 'POST', url, payload, headers: { origin: 'https://evil.example' } })
  const nobody = await ada.send({ method: 'POST', url, payload, headers: { cookie: '' } })
  const withKey = await signedIn(app, (await app.as('acme')).token)

  expect(foreign.body.message).toBe('This is for the dashboard only.')
  expect(nobody.status).toBe(401)
  expect((await withKey.post(url, payload)).body.name).toBe('invalid_permission')
})

test('who says no is sent back with that', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const request = locationOf(await authorize(app, { state: 'mine' })).searchParams.get('request')

  const { body } = await ada.post('/dashboard/oauth/deny', { request })

  const { origin, searchParams } = new URL(body.redirect_to)
  expect(origin).toBe(new URL(CALLBACK).origin)
  expect(Object.fromEntries(searchParams)).toMatchObject({ error: 'access_denied', state: 'mine' })
})

test('what a redirect URI has in its query stays there', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { body: client } = await register(app, { redirect_uris: ['https://app.example.com/cb?a=%20b'] })

  const { answer } = await getCode(app, ada, {
    client_id: client.client_id,
    redirect_uri: 'https://app.example.com/cb?a=%20b',
  })

  expect(answer.href).toMatch(/^https:\/\/app\.example\.com\/cb\?a=%20b&code=[\w-]{43}&iss=/)
})

test('whoever has let a program in can end that, whatever their role, and nobody else’s', async () => {
  const app = await startApp()
  const [ada, bob] = [await app.person('acme', 'viewer'), await app.person('acme', 'viewer')]
  const { access_token } = await getTokens(app, ada)
  const [grant] = (await ada.get('/dashboard/oauth/grants')).body.data

  expect(grant).toMatchObject({ client: 'Resend CLI', scopes: ['full_access', 'emails:send'] })
  expect((await bob.get('/dashboard/oauth/grants')).body.data).toEqual([])
  expect((await bob.delete(`/dashboard/oauth/grants/${grant.id}`)).status).toBe(404)
  expect((await ada.delete('/dashboard/oauth/grants/x')).status).toBe(422)
  expect((await ada.delete(`/dashboard/oauth/grants/${grant.id}`)).status).toBe(200)
  expect((await ada.delete(`/dashboard/oauth/grants/${grant.id}`)).status).toBe(404)
  expect((await callWith(app, access_token, 'GET', '/emails')).status).toBe(401)
})

test('who let in what, and how it ended, is in the audit log', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { exchange } = await getCode(app, ada)
  await callOAuth(app, 'token', exchange)
  await callOAuth(app, 'token', exchange)

  const events = await app.db.query(sql`
    select actor_kind, actor_name, action, details->>'reason' as reason from audit_events where team_id = ${ada.team} order by id`)
  expect(events).toEqual([
    { actor_kind: 'user', actor_name: ada.email, action: 'oauth.approve', reason: null },
    { actor_kind: 'system', actor_name: null, action: 'oauth.grants.revoke', reason: 'code_replayed' },
  ])
})
