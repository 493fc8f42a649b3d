import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { callOAuth, callWith, getCode, getTokens, newVerifier, refresh, register } from '../../../test/harness/oauth.ts'
import { holdSteadyTime } from '../../../test/harness/steady-time.ts'
import { sql } from '../../kernel/db/sql.ts'

const DAY = 86_400

test('a code is changed for tokens once; a second time ends what the first one got', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { exchange } = await getCode(app, ada)
  const { body: tokens } = await callOAuth(app, 'token', exchange)

  const again = await callOAuth(app, 'token', exchange)

  expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await callWith(app, tokens.access_token, 'GET', '/emails')).status).toBe(401)
  expect((await refresh(app, tokens.refresh_token)).body.error).toBe('invalid_grant')
  const { body } = await ada.get('/oauth/grants')
  expect(body.data[0].revoked_reason).toBe('code_replayed')
})

test('of many that bring a code at once one gets tokens', async () => {
  const app = await startApp()
  const { exchange } = await getCode(app, await app.person('acme', 'owner'))

  const replies = await Promise.all(Array.from({ length: 8 }, () => callOAuth(app, 'token', exchange)))

  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)])
})

test('a code is good for ten minutes', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const [early, late] = [await getCode(app, ada), await getCode(app, ada)]

  app.clock.advance(10 * 60 - 1)
  expect((await callOAuth(app, 'token', early.exchange)).status).toBe(200)
  app.clock.advance(1)
  expect((await callOAuth(app, 'token', late.exchange)).body.error).toBe('invalid_grant')
})

test('a code is of no use to whoever lacks the rest, and keeps its use', async () => {
  const app = await startApp()
  const { exchange } = await getCode(app, await app.person('acme', 'owner'))
  const { body: other } = await register(app)
  const wrong: [Record<string, string | undefined>, string][] = [
    [{ code_verifier: newVerifier().verifier }, '400 invalid_grant'],
    [{ code_verifier: 'short' }, '400 invalid_request'],
    [{ code_verifier: undefined }, '400 invalid_request'],
    [{ redirect_uri: 'http://127.0.0.1:49153/oauth/callback' }, '400 invalid_grant'],
    [{ redirect_uri: undefined }, '400 invalid_request'],
    [{ client_id: other.client_id }, '400 invalid_grant'],
    [{ client_id: 'nobody' }, '401 invalid_client'],
    [{ client_id: undefined }, '400 invalid_request'],
    [{ client_secret: 'secret' }, '401 invalid_client'],
    [{ code: 'guessed' }, '400 invalid_grant'],
    [{ code: undefined }, '400 invalid_request'],
    [{ grant_type: 'password' }, '400 unsupported_grant_type'],
    [{ grant_type: '__proto__' }, '400 unsupported_grant_type'],
    [{ grant_type: undefined }, '400 invalid_request'],
  ]

  for (const [words, expected] of wrong) {
    const { status, body, headers } = await callOAuth(app, 'token', { ...exchange, ...words })
    expect([words, `${status} ${body.error}`]).toEqual([words, expected])
    expect(headers['cache-control']).toBe('no-store')
  }
  expect((await callOAuth(app, 'token', exchange)).status).toBe(200)
})

test('the token endpoint takes JSON, too', async () => {
  const app = await startApp()
  const { exchange } = await getCode(app, await app.person('acme', 'owner'))
  const post = (payload: object | string, type = 'application/json') =>
    app.send({ method: 'POST', url: '/oauth/token', payload, headers: { 'content-type': type } })

  expect((await post({ ...exchange, code: [exchange.code] })).body.error).toBe('invalid_request')
  expect((await post('{"a":')).body.error).toBe('invalid_request')
  expect((await post('client_id=a&client_id=b', 'application/x-www-form-urlencoded')).body.error).toBe(
    'invalid_request',
  )
  expect((await post('x'.repeat(40_000), 'application/x-www-form-urlencoded')).body.error).toBe('invalid_request')
  expect((await post(exchange)).status).toBe(200)
})

test('a refresh token is changed for another one, which is good for 60 days again', async () => {
  const app = await startApp()
  let { refresh_token } = await getTokens(app, await app.person('acme', 'owner'))

  for (let round = 0; round < 3; round++) {
    app.clock.advance(59 * DAY)
    const { status, body } = await refresh(app, refresh_token)
    expect(status).toBe(200)
    expect(body.refresh_token).not.toBe(refresh_token)
    refresh_token = body.refresh_token
  }
  app.clock.advance(60 * DAY)

  expect((await refresh(app, refresh_token)).body).toMatchObject({ error: 'invalid_grant' })
})

test('a refresh token that comes again within a minute gets the same successor; later it ends the grant', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { refresh_token: first } = await getTokens(app, ada)
  const { body: second } = await refresh(app, first)

  app.clock.advance(59)
  const { status, body: again } = await refresh(app, first)
  expect(status).toBe(200)
  expect(again.refresh_token).toBe(second.refresh_token)
  expect((await callWith(app, again.access_token, 'GET', '/emails')).status).toBe(200)
  app.clock.advance(1)
  expect((await refresh(app, first)).body.error).toBe('invalid_grant')

  expect((await callWith(app, again.access_token, 'GET', '/emails')).status).toBe(401)
  expect((await refresh(app, second.refresh_token)).body.error).toBe('invalid_grant')
  expect((await ada.get('/oauth/grants')).body.data[0].revoked_reason).toBe('refresh_token_replayed')
})

test('a refresh token whose successor was used ends the grant, also within a minute', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { refresh_token: first } = await getTokens(app, ada)
  const { body: second } = await refresh(app, first)
  const { body: third } = await refresh(app, second.refresh_token)

  expect((await refresh(app, first)).body.error).toBe('invalid_grant')

  expect((await callWith(app, third.access_token, 'GET', '/emails')).status).toBe(401)
  expect((await ada.get('/oauth/grants')).body.data[0].revoked_reason).toBe('refresh_token_replayed')
})

test('a refresh token that another client shows again ends the grant', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { refresh_token: first } = await getTokens(app, ada)
  const { body: second } = await refresh(app, first)
  const { body: other } = await register(app)

  const stolen = await refresh(app, first, { client_id: other.client_id })

  expect(stolen.body.error).toBe('invalid_grant')
  expect((await callWith(app, second.access_token, 'GET', '/emails')).status).toBe(401)
})

test('all that bring a refresh token at once get the same successor', async () => {
  const app = await startApp()
  const { refresh_token } = await getTokens(app, await app.person('acme', 'owner'))

  const replies = await Promise.all(Array.from({ length: 8 }, () => refresh(app, refresh_token)))

  expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(new Set(replies.map(({ body }) => body.refresh_token)).size).toBe(1)
  expect((await refresh(app, replies[0]!.body.refresh_token)).status).toBe(200)
})

test('a refresh may narrow the scope of its access token, and never widen it', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const all = await getTokens(app, ada)
  const sending = await getTokens(app, ada, { scope: 'emails:send' })

  const { body: narrowed } = await refresh(app, all.refresh_token, { scope: 'emails:send' })
  expect(narrowed.scope).toBe('emails:send')
  expect((await callWith(app, narrowed.access_token, 'GET', '/emails')).body.name).toBe('invalid_permission')
  expect((await refresh(app, narrowed.refresh_token)).body.scope).toBe('full_access emails:send')

  expect((await refresh(app, sending.refresh_token, { scope: 'full_access' })).body.error).toBe('invalid_scope')
  expect((await refresh(app, sending.refresh_token, { scope: 'all' })).body.error).toBe('invalid_scope')
  expect((await refresh(app, sending.refresh_token)).body.scope).toBe('emails:send')
})

test('a refresh token is of no use to another client', async () => {
  const app = await startApp()
  const { refresh_token } = await getTokens(app, await app.person('acme', 'owner'))
  const { body: other } = await register(app)

  expect((await refresh(app, refresh_token, { client_id: other.client_id })).body.error).toBe('invalid_grant')
  expect((await refresh(app, refresh_token)).status).toBe(200)
})

test('a client without refresh tokens gets none', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { body: client } = await register(app, { grant_types: ['authorization_code'] })

  const tokens = await getTokens(app, ada, { client_id: client.client_id })
  const refused = await refresh(app, 'any', { client_id: client.client_id })

  expect(tokens).not.toHaveProperty('refresh_token')
  expect(refused).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } })
})

test('a confidential client proves itself, in one way', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { body: client } = await register(app, { token_endpoint_auth_method: 'client_secret_basic' })
  const { client_id, client_secret } = client
  const { exchange } = await getCode(app, ada, { client_id })
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  })
  const right = basic(client_id, client_secret)
  const outcome = async (words: Record<string, string | undefined>, headers = {}) => {
    const { status, body } = await callOAuth(app, 'token', { ...exchange, ...words }, headers)
    return `${status} ${body.error}`
  }

  expect(await outcome({})).toBe('401 invalid_client')
  expect(await outcome({ client_secret: 'wrong' })).toBe('401 invalid_client')
  expect(await outcome({}, basic(client_id, 'wrong'))).toBe('401 invalid_client')
  expect(await outcome({}, basic('\0', 'wrong'))).toBe('401 invalid_client')
  expect(await outcome({ client_id: 'other' }, right)).toBe('401 invalid_client')
  expect(await outcome({}, { authorization: 'Bearer x' })).toBe('401 invalid_client')
  expect(await outcome({ client_secret }, right)).toBe('400 invalid_request')
  const { status, body } = await callOAuth(app, 'token', { ...exchange, client_id: undefined }, right)
  expect(status).toBe(200)
  const words = { client_id, client_secret }
  expect((await refresh(app, body.refresh_token, { client_id })).body.error).toBe('invalid_client')
  expect((await refresh(app, body.refresh_token, words)).status).toBe(200)
})

test('nobody gets tokens for a grant that was revoked, or for who has left the team', async () => {
  const app = await startApp()
  const [ada, bob] = [await app.person('acme', 'owner'), await app.person('acme', 'viewer')]
  const { exchange } = await getCode(app, ada)
  const tokens = await getTokens(app, bob)
  const [, { id }] = (await ada.get('/oauth/grants')).body.data

  await ada.delete(`/oauth/grants/${id}`)
  await app.db.query(sql`delete from memberships where team_id = ${bob.team} and user_id = ${bob.userId}`)

  expect((await callOAuth(app, 'token', exchange)).body.error).toBe('invalid_grant')
  expect((await refresh(app, tokens.refresh_token)).body.error).toBe('invalid_grant')
})

test('revoking a refresh token ends its grant, and says nothing about it', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { access_token, refresh_token } = await getTokens(app, ada)
  const { body: other } = await register(app)
  const revoke = (words: Record<string, string | undefined>) =>
    callOAuth(app, 'revoke', { client_id: '7136aa0b-625c-4c9c-8820-e9784c8eb141', token: refresh_token, ...words })

  expect(await revoke({ token_type_hint: 'access_token' })).toMatchObject({ status: 400 })
  expect(await revoke({ token: undefined })).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  expect(await revoke({ client_id: 'nobody' })).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  expect(await revoke({ client_id: other.client_id })).toMatchObject({ status: 200, text: '' })
  expect(await revoke({ token: 'made up' })).toMatchObject({ status: 200, text: '' })
  expect((await callWith(app, access_token, 'GET', '/emails')).status).toBe(200)
  expect(await revoke({ token_type_hint: 'whatever' })).toMatchObject({ status: 200, text: '' })
  expect(await revoke({})).toMatchObject({ status: 200, text: '' })

  expect((await callWith(app, access_token, 'GET', '/emails')).status).toBe(401)
  expect((await refresh(app, refresh_token)).body.error).toBe('invalid_grant')
  expect((await ada.get('/oauth/grants')).body.data[0].revoked_reason).toBe('revoked_by_client')
})

test('whoever guesses is held off after 300 tries a minute, and nobody else is', async () => {
  holdSteadyTime()
  const app = await startApp()
  const { exchange } = await getCode(app, await app.person('acme', 'owner'))
  const payload = { ...exchange, code: 'guessed' }
  const guess = () => app.server.inject({ method: 'POST', url: '/oauth/token', payload, remoteAddress: '192.0.2.66' })

  const errors: string[] = []
  // No more at a time than the database has connections for.
  while (errors.length < 350) {
    const replies = await Promise.all(Array.from({ length: 10 }, guess))
    errors.push(...replies.map((reply) => `${reply.statusCode} ${reply.json().error}`))
  }

  expect(errors.slice(0, 300)).toEqual(Array(300).fill('400 invalid_grant'))
  expect(errors.slice(300)).toEqual(Array(50).fill('429 too_many_requests'))
  expect((await callOAuth(app, 'token', exchange)).status).toBe(200)
})
