import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { CALLBACK, register } from '../../../test/harness/oauth.ts'
import { sql } from '../../kernel/db/sql.ts'
import { readClientMetadata } from './client-metadata.ts'

test('a program makes itself known, and gets an id', async () => {
  const app = await startApp()

  const { status, body } = await register(app, {
    client_uri: 'https://example.com',
    logo_uri: 'https://example.com/x.png',
  })

  expect(status).toBe(201)
  expect(body).toEqual({
    client_id: expect.stringMatching(/^[\da-f-]{36}$/),
    client_id_issued_at: Math.floor(app.clock.now().getTime() / 1_000),
    client_name: 'Example',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: 'full_access emails:send',
    client_uri: 'https://example.com',
    logo_uri: 'https://example.com/x.png',
  })
})

test('a confidential one gets its secret once; only a digest of it is kept', async () => {
  const app = await startApp()

  const { body } = await register(app, { token_endpoint_auth_method: 'client_secret_post' })

  expect(body).toMatchObject({ client_secret: expect.stringMatching(/^[\w-]{43}$/), client_secret_expires_at: 0 })
  const [row] = await app.db.query<object>(sql`select * from oauth_clients where id = ${body.client_id}`)
  expect(JSON.stringify(row)).not.toContain(body.client_secret)
})

test('twenty are registered from an address in an hour', async () => {
  const app = await startApp()
  await Promise.all(Array.from({ length: 20 }, () => register(app, {}, '192.0.2.20')))

  const { status, body } = await register(app, {}, '192.0.2.20')

  expect([status, body.error]).toEqual([429, 'too_many_requests'])
  expect((await register(app, {}, '192.0.2.21')).status).toBe(201)
})

test('what is not an object, or not JSON, is refused', async () => {
  const app = await startApp()
  const post = (payload: string) =>
    app.send({ method: 'POST', url: '/oauth/register', payload, headers: { 'content-type': 'application/json' } })

  for (const text of ['', '[]', '"x"', 'null', '{"client_name":', '{"client_name":"a\\u0000"}'])
    expect([text, (await post(text)).body.error]).toEqual([text, 'invalid_request'])
})

const errorOf = (metadata: object) => {
  try {
    readClientMetadata({ client_name: 'Example', redirect_uris: [CALLBACK], ...metadata })
    return null
  } catch (error) {
    return (error as { code: string }).code
  }
}

const long = (start: string, length: number) => start.padEnd(length, 'x')

test.each([
  ['https anywhere', 'https://app.example.com/cb'],
  ['http on loopback', 'http://127.0.0.1/cb'],
  ['http on loopback', 'http://[::1]:8080/cb'],
  ['http on loopback', 'http://localhost'],
  ['a private scheme', 'cursor://anysphere.cursor-mcp/oauth/callback'],
  ['a private scheme', 'com.example.app:/cb'],
  ['a private scheme', 'vscode://example.extension/cb'],
  ['2,048 characters', long('https://example.com/', 2_048)],
])('a redirect URI may be: %s', (_, uri) => {
  expect(errorOf({ redirect_uris: [uri] })).toBeNull()
})

test.each([
  'http://example.com/cb',
  'http://127.0.0.1.example.com/cb',
  'http://127.0.0.2/cb',
  'file:///etc/passwd',
  'ftp://example.com/',
  'data:text/html,x',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'blob:https://example.com/1',
  'about:blank',
  'vbscript:x',
  'search-ms:query=x&crumb=location:%5C%5C192.0.2.1%5Cshare',
  'ms-msdt:/id',
  'tel:+1',
  'unknown://callback',
  'https://example.com/cb#fragment',
  'https://example.com/cb#',
  'https://user:password@example.com/cb',
  'https://user@example.com/cb',
  'https:\\\\example.com',
  'https://exa mple.com/',
  'https://example.com/\u202e',
  'java\nscript:alert(1)',
  '/cb',
  '',
  7,
  null,
  long('https://example.com/', 2_049),
])('a redirect URI may not be %j', (uri) => {
  expect(errorOf({ redirect_uris: [uri] })).toBe('invalid_request')
})

test.each<[object, string | null]>([
  [{ redirect_uris: [] }, 'invalid_request'],
  [{ redirect_uris: undefined }, 'invalid_request'],
  [{ redirect_uris: CALLBACK }, 'invalid_request'],
  [{ redirect_uris: Array.from({ length: 10 }, (_, n) => `https://example.com/${n}`) }, null],
  [{ redirect_uris: Array.from({ length: 11 }, (_, n) => `https://example.com/${n}`) }, 'invalid_request'],
  [{ client_name: 'x'.repeat(200) }, null],
  [{ client_name: 'x'.repeat(201) }, 'invalid_request'],
  [{ client_name: ' ' }, 'invalid_request'],
  [{ client_name: undefined }, 'invalid_request'],
  [{ client_name: 'a\u202eb' }, 'invalid_request'],
  [{ client_name: 'a\u0000b' }, 'invalid_request'],
  [{ client_name: '\ud800' }, 'invalid_request'],
  [{ client_name: '\u3164' }, 'invalid_request'],
  [{ client_name: '\u2800\u2800' }, 'invalid_request'],
  [{ client_name: 'Resend\u3164CLI' }, 'invalid_request'],
  [{ client_name: '\u034f\ufe0f' }, 'invalid_request'],
  [{ client_name: `Z${'\u0301'.repeat(20)}` }, 'invalid_request'],
  [{ client_name: 'Mail ✉\ufe0f' }, null],
  [{ client_name: 'Việt Nam · নমস্কার · 日本語' }, null],
  [{ scope: 'emails:send' }, null],
  [{ scope: 'emails:read' }, 'invalid_scope'],
  [{ scope: ['emails:send'] }, 'invalid_request'],
  [{ grant_types: ['refresh_token'] }, 'invalid_request'],
  [{ grant_types: ['authorization_code', 'urn:other'] }, null],
  [{ grant_types: 'authorization_code' }, 'invalid_request'],
  [{ response_types: ['token'] }, 'invalid_request'],
  [{ response_types: ['code'] }, null],
  [{ token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_request'],
  [{ logo_uri: 'javascript:alert(1)' }, 'invalid_request'],
  [{ logo_uri: 'https://example.com/x.png' }, null],
])('metadata with %j', (metadata, error) => {
  expect(errorOf(metadata)).toBe(error)
})
