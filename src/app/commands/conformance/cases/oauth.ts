import type { Case, Group } from '../suite/case.ts'
import type { CaseRun, Fixture, Json } from '../suite/case-run.ts'
import { absent, is, listing, oneOf, same, string, url, uuid } from '../suite/shape.ts'
import { type Asked, ask, expectAnswer } from './ask.ts'

// The protocol, as far as it goes without a person who says yes. A server may leave all of it out.

const SERVER = {
  ...{ issuer: url, authorization_endpoint: url, token_endpoint: url, jwks_uri: url },
  ...{ registration_endpoint: url, revocation_endpoint: url, scopes_supported: listing(string) },
  ...{ response_types_supported: same(['code']), grant_types_supported: listing(string) },
  ...{ token_endpoint_auth_methods_supported: listing(string), code_challenge_methods_supported: same(['S256']) },
}

const REDIRECT = 'http://127.0.0.1:4999/callback'

const get = (trial: CaseRun, path: string) => ask(trial, { method: 'GET', path, key: null })

const post = (trial: CaseRun, path: string, body: Json) => ask(trial, { method: 'POST', path, body, key: null })

/** As clients ask for tokens. */
const form = (trial: CaseRun, path: string, fields: Record<string, string>) =>
  ask(trial, {
    ...{ method: 'POST', path, key: null, body: new URLSearchParams(fields).toString() },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

const document: Fixture<Asked> = {
  async make(trial) {
    const found = await get(trial, '/.well-known/oauth-authorization-server')
    if ([404, 405, 501].includes(found.status)) trial.skip('the server has no OAuth')
    return found
  },
}

/** One for the whole run: the contract cannot delete it. Nobody lets it in, so it can do nothing. */
const client: Fixture<{ client_id: string; asked: Asked }> = {
  async make(trial) {
    await trial.need(document)
    const body = {
      ...{ client_name: 'Conformance', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
    }
    const asked = await post(trial, '/oauth/register', body)
    const id = asked.body?.client_id
    return { asked, client_id: typeof id === 'string' ? id : trial.skip('needs POST /oauth/register') }
  },
}

const STATUSES = { invalid_grant: 400, invalid_client: 401 } as const

const failed = (trial: CaseRun, asked: Asked, error: keyof typeof STATUSES) =>
  expectAnswer(trial, asked, { status: STATUSES[error], shape: { error: is(error) } })

const cases: Case[] = [
  {
    ...{ id: 'oauth-protocol.server', title: 'says where everything is', operation: null },
    async run(trial) {
      const found = await trial.need(document)
      expectAnswer(trial, found, { status: 200, shape: SERVER })
      const age = found.headers.get('cache-control') ?? 'nothing'
      trial.check(found.request, { expected: 'cache-control: max-age', isTrue: /max-age=\d+/.test(age), actual: age })
    },
  },
  {
    ...{ id: 'oauth-protocol.resource', title: 'says what it protects', operation: null },
    async run(trial) {
      await trial.need(document)
      const shape = { resource: url, authorization_servers: listing(url), bearer_methods_supported: same(['header']) }
      expectAnswer(trial, await get(trial, '/.well-known/oauth-protected-resource'), { status: 200, shape })
    },
  },
  {
    ...{ id: 'oauth-protocol.keys', title: 'shows the keys that sign tokens, without their secrets', operation: null },
    async run(trial) {
      await trial.need(document)
      const shape = { keys: listing({ kty: string, d: absent }) }
      expectAnswer(trial, await get(trial, '/.well-known/jwks.json'), { status: 200, shape })
    },
  },
  {
    ...{ id: 'oauth-protocol.register', title: 'takes a client that registers itself', operation: null },
    async run(trial) {
      const { asked } = await trial.need(client)
      const shape = { client_id: uuid, redirect_uris: same([REDIRECT]), client_secret: absent }
      expectAnswer(trial, asked, { status: 201, shape })
    },
  },
  {
    ...{ id: 'oauth-protocol.bad-redirect', title: 'takes no redirect that is unsafe', operation: null },
    async run(trial) {
      await trial.need(document)
      for (const redirect of ['javascript:alert(1)', 'http://example.com/callback', 'https://example.com/#part']) {
        const body = { client_name: 'Conformance', redirect_uris: [redirect] }
        const asked = await post(trial, '/oauth/register', body)
        const shape = { error: oneOf('invalid_redirect_uri', 'invalid_client_metadata', 'invalid_request') }
        expectAnswer(trial, { ...asked, request: `${asked.request} ${redirect}` }, { status: 400, shape })
      }
    },
  },
  {
    ...{ id: 'oauth-protocol.authorize', title: 'sends nobody on to where it was not told to', operation: null },
    async run(trial) {
      const { client_id } = await trial.need(client)
      const query = { response_type: 'code', redirect_uri: 'https://example.com/elsewhere', client_id }
      const unknown = { ...query, client_id: '00000000-0000-4000-8000-000000000000' }
      for (const fields of [query, unknown]) {
        const asked = await get(trial, `/oauth/authorize?${new URLSearchParams(fields)}`)
        const isRefused = asked.status >= 400 && asked.status < 500 && typeof asked.body?.error === 'string'
        const actual = `${asked.status} ${asked.headers.get('location') ?? asked.text.slice(0, 160)}`
        trial.check(asked.request, { expected: '4xx with an `error`', isTrue: isRefused, actual })
      }
    },
  },
  {
    ...{ id: 'oauth-protocol.pkce', title: 'tells a proven client by its redirect what is wrong', operation: null },
    async run(trial) {
      const { client_id } = await trial.need(client)
      const query = new URLSearchParams({ response_type: 'code', redirect_uri: REDIRECT, client_id, state: 'abc' })
      const asked = await get(trial, `/oauth/authorize?${query}`)
      const location = asked.headers.get('location') ?? ''
      const back = URL.canParse(location) ? new URL(location).searchParams : new URLSearchParams()
      const isRight =
        location.startsWith(REDIRECT) && back.get('error') === 'invalid_request' && back.get('state') === 'abc'
      const expected = `a redirect to ${REDIRECT} with error=invalid_request, for there is no code_challenge`
      trial.check(asked.request, { expected, isTrue: isRight, actual: `${asked.status} ${location}` })
    },
  },
  {
    ...{ id: 'oauth-protocol.token', title: 'gives no token for what it has not given', operation: null },
    async run(trial) {
      const { client_id } = await trial.need(client)
      const code = {
        ...{ grant_type: 'authorization_code', client_id, code: 'nobody', redirect_uri: REDIRECT },
        code_verifier: 'v'.repeat(43),
      }
      failed(trial, await form(trial, '/oauth/token', code), 'invalid_grant')
      const refresh = { grant_type: 'refresh_token', client_id, refresh_token: 'nobody' }
      failed(trial, await form(trial, '/oauth/token', refresh), 'invalid_grant')
      // As JSON, too.
      failed(trial, await post(trial, '/oauth/token', refresh), 'invalid_grant')
      const unknown = { ...refresh, client_id: '00000000-0000-4000-8000-000000000000' }
      failed(trial, await form(trial, '/oauth/token', unknown), 'invalid_client')
    },
  },
  {
    ...{ id: 'oauth-protocol.revoke', title: 'revokes without saying what there was', operation: null },
    async run(trial) {
      const { client_id } = await trial.need(client)
      const fields = { client_id, token: 'nobody' }
      const { request, status, text } = await form(trial, '/oauth/revoke', fields)
      const isRight = status === 200 && text === ''
      trial.check(request, { expected: '200 with an empty body', isTrue: isRight, actual: `${status} ${text}` })
      const access = await form(trial, '/oauth/revoke', { ...fields, token_type_hint: 'access_token' })
      expectAnswer(trial, access, { status: 400, shape: { error: string } })
      const unknown = { ...fields, client_id: '00000000-0000-4000-8000-000000000000' }
      failed(trial, await form(trial, '/oauth/revoke', unknown), 'invalid_client')
    },
  },
]

export const oauthProtocol: Group = { id: 'oauth-protocol', title: 'OAuth protocol', cases }
