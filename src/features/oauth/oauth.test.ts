import { decodeJwt, decodeProtectedHeader } from 'jose'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { callWith, getCode, getTokens } from '../../../test/harness/oauth.ts'

test('a program that somebody lets in acts for them', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')

  const { answer } = await getCode(app, ada, { state: 'some state' })
  const tokens = await getTokens(app, ada, { scope: 'full_access' })

  expect(Object.fromEntries(answer.searchParams)).toEqual({
    code: expect.any(String),
    state: 'some state',
    iss: 'http://localhost:4025',
  })
  expect(tokens).toEqual({
    access_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: 900,
    refresh_token: expect.stringMatching(/^[\w-]{43}$/),
    scope: 'full_access',
  })
  expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' })
  const { exp, iat } = decodeJwt(tokens.access_token)
  expect(exp! - iat!).toBe(900)
  expect((await callWith(app, tokens.access_token, 'GET', '/emails')).status).toBe(200)
})
