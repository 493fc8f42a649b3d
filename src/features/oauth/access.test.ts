import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { signIn } from '../../../test/harness/browser-session.ts'
import { authorize, callWith, getTokens, locationOf } from '../../../test/harness/oauth.ts'
import { sql } from '../../kernel/db/sql.ts'
import { revokeGrantsOf } from './grants.ts'

const MAIL = { from: 'me@example.com', to: 'ada@example.org', subject: 'Hello', text: 'Hello' }

test('a token may do what its scope allows, and no more than the person', async () => {
  const app = await startApp()
  const [owner, viewer] = [await app.person('acme', 'owner'), await app.person('acme', 'viewer')]
  const [full, sending, looking] = [
    await getTokens(app, owner, { scope: 'full_access' }),
    await getTokens(app, owner, { scope: 'emails:send' }),
    await getTokens(app, viewer, { scope: 'full_access' }),
  ]
  const tries = async (token: string) => {
    const replies = [
      await callWith(app, token, 'POST', '/emails', MAIL),
      await callWith(app, token, 'POST', '/emails/batch', [MAIL]),
      await callWith(app, token, 'GET', '/emails'),
      await callWith(app, token, 'POST', '/topics', { name: 'News' }),
      await callWith(app, token, 'GET', '/oauth/grants'),
    ]
    return replies.map(({ status }) => status)
  }

  expect(await tries(full.access_token)).toEqual([200, 200, 200, 201, 200])
  expect(await tries(sending.access_token)).toEqual([200, 200, 403, 403, 403])
  expect(await tries(looking.access_token)).toEqual([403, 403, 200, 403, 403])
  expect((await callWith(app, sending.access_token, 'GET', '/emails')).body).toEqual({
    statusCode: 403,
    message: 'Access token is missing required scopes.',
    name: 'invalid_permission',
  })
})

test('a role that changes and a membership that ends count for tokens, too', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'developer')
  const { access_token } = await getTokens(app, ada)
  const write = () => callWith(app, access_token, 'POST', '/topics', { name: 'News' })
  const forget = () => app.services.authenticator.forget()
  expect((await write()).status).toBe(201)

  await app.db.query(sql`update memberships set role = 'viewer' where user_id = ${ada.userId}`)
  forget()
  expect((await write()).status).toBe(403)
  await app.db.transaction((trx) => revokeGrantsOf(trx, ada.team, ada.userId, 'membership_ended'))
  forget()

  expect((await write()).status).toBe(401)
})

test('a token is of one team, and ends after a quarter of an hour', async () => {
  const app = await startApp()
  const [ada, globex] = [await app.person('acme', 'owner'), await app.as('globex')]
  const { body: topic } = await globex.post('/topics', { name: 'Theirs' })
  const { access_token } = await getTokens(app, ada)

  expect((await callWith(app, access_token, 'GET', `/topics/${topic.id}`)).status).toBe(404)
  app.clock.advance(899)
  app.services.authenticator.forget()
  expect((await callWith(app, access_token, 'GET', '/topics')).status).toBe(200)
  app.clock.advance(1)
  app.services.authenticator.forget()
  const over = await callWith(app, access_token, 'GET', '/topics')

  expect(over.body).toMatchObject({ statusCode: 401, name: 'invalid_api_key' })
  expect(over.headers['www-authenticate']).toBe(
    'Bearer error="invalid_token", resource_metadata="http://localhost:4025/.well-known/oauth-protected-resource"',
  )
})

test('every 401 tells where tokens come from', async () => {
  const app = await startApp()
  const sending = await app.as('acme', 'sending_access')
  const challenge = 'Bearer resource_metadata="http://localhost:4025/.well-known/oauth-protected-resource"'

  expect((await app.send({ method: 'GET', url: '/emails' })).headers['www-authenticate']).toBe(challenge)
  expect((await sending.get('/emails')).headers['www-authenticate']).toBe(challenge)
  expect((await sending.post('/emails', MAIL)).headers).not.toHaveProperty('www-authenticate')
})

test('a token that we have not signed, or not for here, is none', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { access_token } = await getTokens(app, ada)
  const { keys } = app.services.accessTokens
  const { id: kid, key } = await keys.signing()
  const { payload } = await jwtVerify(access_token, (await keys.find(kid))!, { currentDate: app.clock.now() })
  const stranger = await generateKeyPair('ES256')
  const sign = (claims: object, header: object = {}, by = key) =>
    new SignJWT({ ...payload, ...claims }).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header }).sign(by)
  const [head, body, signature] = access_token.split('.')
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt', kid })).toString('base64url')
  const secret = new TextEncoder().encode(JSON.stringify(await exportJWK((await keys.find(kid))!)))
  const symmetric = await new SignJWT(payload).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid }).sign(secret)

  const wrong = {
    'another key': await sign({}, {}, stranger.privateKey),
    'another name of a key': await sign({}, { kid: 'other' }),
    'no name of a key': await sign({}, { kid: undefined }),
    'another type': await sign({}, { typ: 'JWT' }),
    'another issuer': await sign({ iss: 'https://evil.example' }),
    'another audience': await sign({ aud: 'https://evil.example' }),
    'no end': await sign({ exp: undefined }),
    'no grant': await sign({ grant_id: undefined }),
    'a grant of another team': await sign({ team_id: (await app.as('globex')).team }),
    'no algorithm': `${none}.${body}.`,
    'no algorithm, with a signature': `${none}.${body}.${signature}`,
    'a secret that is public': symmetric,
    'other claims': `${head}.${Buffer.from(JSON.stringify({ ...payload, scope: 'full_access' })).toString('base64url')}.${signature}`,
    'no claims': `${head}.e30.${signature}`,
    rubbish: 'a.b.c',
  }

  expect((await callWith(app, await sign({}), 'GET', '/emails')).status).toBe(200)
  for (const [what, token] of Object.entries(wrong)) {
    const { status } = await callWith(app, token, 'GET', '/emails')
    expect([what, status >= 401 && status <= 403]).toEqual([what, true])
  }
})

test('a refresh token, a code and an access token cannot stand in for a key', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const { access_token, refresh_token } = await getTokens(app, ada)

  expect((await callWith(app, refresh_token, 'GET', '/emails')).body.name).toBe('invalid_api_key')
  expect((await signIn(app, { key: access_token })).body.name).toBe('invalid_api_key')
})

test('clients find everything by the metadata', async () => {
  const app = await startApp({ POSTWREN_PUBLIC_URL: 'https://mail.example.com' })
  const read = (path: string) => app.send({ method: 'GET', url: `/.well-known/${path}` })
  const url = 'https://mail.example.com'

  const server = await read('oauth-authorization-server')
  const resource = await read('oauth-protected-resource')

  expect(server.headers['cache-control']).toBe('public, max-age=300')
  expect(server.body).toMatchObject({
    issuer: url,
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/oauth/token`,
    jwks_uri: `${url}/.well-known/jwks.json`,
    registration_endpoint: `${url}/oauth/register`,
    revocation_endpoint: `${url}/oauth/revoke`,
    scopes_supported: ['full_access', 'emails:send'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
  })
  expect(resource.headers['cache-control']).toBe('public, max-age=300')
  expect(resource.body).toEqual({
    resource: url,
    authorization_servers: [url],
    bearer_methods_supported: ['header'],
    scopes_supported: ['full_access', 'emails:send'],
    resourceDocumentation: `${url}/docs`,
  })
  expect((await read('oauth-protected-resource/mcp')).body.resource).toBe(`${url}/mcp`)
})

test('a token is for the resource that was named, if it is one of ours', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const audienceOf = async (resource: string) => {
    const { access_token } = await getTokens(app, ada, { resource })
    expect((await callWith(app, access_token, 'GET', '/emails')).status).toBe(200)
    return JSON.parse(Buffer.from(access_token.split('.')[1]!, 'base64url').toString()).aud
  }

  expect(await audienceOf('http://localhost:4025/mcp')).toBe('http://localhost:4025/mcp')
  expect(await audienceOf('http://127.0.0.1:4025/')).toBe('http://localhost:4025')
  expect((await ada.get('/oauth/grants')).body.data[0].resource).toBe('http://localhost:4025')
  for (const resource of ['https://evil.example', 'http://localhost:4025/mcp#x', 'mcp'])
    expect(locationOf(await authorize(app, { resource })).searchParams.get('error')).toBe('invalid_target')
})

test('an access token of another cell is told where it belongs, and anything else is refused as before', async () => {
  const cells = { POSTWREN_CELL: 'eu1', POSTWREN_CELLS: 'eu1=https://eu1.example.com,us1=https://us1.example.com' }
  const app = await startApp({ ...cells, POSTWREN_PUBLIC_URL: 'https://eu1.example.com' })
  const { privateKey } = await generateKeyPair('ES256')
  const tokenOf = (issuer: string) =>
    new SignJWT({}).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'other' }).setIssuer(issuer).sign(privateKey)
  const answer = async (token: string) => {
    const { status, body } = await callWith(app, token, 'GET', '/emails')
    return [status, body.name, body.message]
  }

  expect(await answer(await tokenOf('https://us1.example.com'))).toEqual([
    421,
    'wrong_cell',
    'This access token belongs to the cell us1: https://us1.example.com',
  ])
  for (const issuer of ['https://eu1.example.com', 'https://elsewhere.example', '', 'us1'])
    expect((await answer(await tokenOf(issuer)))[2]).toBe('Access token is invalid or expired.')
  const valid = await getTokens(app, await app.person('acme', 'developer'))
  expect((await callWith(app, valid.access_token, 'GET', '/emails')).status).toBe(200)
})
