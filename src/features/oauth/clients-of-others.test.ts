import type { InjectOptions } from 'fastify'
import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { CALLBACK, callWith } from '../../../test/harness/oauth.ts'

/** The network between a program and this service. */
const network =
  (app: App) => async (url: string, options: { method: string; headers: Record<string, string>; body?: unknown }) => {
    const { pathname, search } = new URL(url)
    const reply = await app.server.inject({
      method: options.method as NonNullable<InjectOptions['method']>,
      url: `${pathname}${search}`,
      headers: Object.fromEntries(new Headers(options.headers)),
      ...(options.body != null && { payload: String(options.body) }),
    })
    return new Response(reply.rawPayload.length > 0 ? new Uint8Array(reply.rawPayload) : null, {
      status: reply.statusCode,
      headers: Object.entries(reply.headers).map(([name, value]): [string, string] => [name, String(value)]),
    })
  }

test('a certified client registers, signs somebody in, refreshes and revokes', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const options = {
    execute: [client.allowInsecureRequests],
    algorithm: 'oauth2' as const,
    [client.customFetch]: network(app),
  }
  const server = new URL('http://localhost:4025')
  const metadata = {
    client_name: 'Example',
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'client_secret_basic',
  }

  const config = await client.dynamicClientRegistration(server, metadata, undefined, options)
  const [pkceCodeVerifier, expectedState] = [client.randomPKCECodeVerifier(), client.randomState()]
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'full_access',
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const page = await app.send({ method: 'GET', url: `${address.pathname}${address.search}` })
  const request = new URL(String(page.headers.location)).searchParams.get('request')
  const { body } = await ada.post('/dashboard/oauth/approve', { request, team: ada.team })
  const answer = new URL(body.redirect_to)
  const tokens = await client.authorizationCodeGrant(config, answer, { pkceCodeVerifier, expectedState })
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!)

  expect((await callWith(app, refreshed.access_token, 'GET', '/emails')).status).toBe(200)
  await client.tokenRevocation(config, refreshed.refresh_token!)
  expect((await callWith(app, refreshed.access_token, 'GET', '/emails')).status).toBe(401)
  // Somebody mixes up two servers: the answer says which one it is from.
  answer.searchParams.set('iss', 'https://evil.example')
  const mixedUp = client.authorizationCodeGrant(config, answer, { pkceCodeVerifier, expectedState })
  await expect(mixedUp).rejects.toHaveProperty('cause.message', expect.stringContaining('iss'))
})
