import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { noticesTo } from '../../../test/harness/approvals.ts'
import {
  authorize,
  CALLBACK,
  callOAuth,
  callWith,
  getCode,
  getTokens,
  locationOf,
  refresh,
  register,
} from '../../../test/harness/oauth.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Policy } from '../policies/schema.ts'
import { CLI } from './client.ts'
import { revokeGrantsOf } from './grants.ts'
import { sweepOAuthTokens } from './jobs.ts'

const mailTo = (to: string) => ({ from: 'me@example.com', to, subject: 'Hello', text: 'Hello' })
const ONLY_BOB: Policy = { recipients: { addresses: ['bob@example.org'] } }

async function startGuarded(policy: Policy = ONLY_BOB, scope = 'full_access') {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const tokens = await getTokens(app, ada, { scope }, policy)
  const grants = async () => (await ada.get('/oauth/grants')).body.data
  return {
    app,
    ada,
    tokens,
    grants,
    grant: (await grants())[0].id as string,
    policies: () =>
      app.db.query(sql`select id, holder_kind as holder, policy from policies where team_id = ${ada.team}`),
    send: (to: string, token = tokens.access_token) => callWith(app, token, 'POST', '/emails', mailTo(to)),
  }
}

test('an app sends what the policy allows that the person has chosen', async () => {
  const { app, ada, tokens, grants, grant, send } = await startGuarded()

  const [allowed, refused] = [await send('bob@example.org'), await send('eve@example.org')]

  expect(allowed.status).toBe(200)
  expect(refused.body).toEqual({
    statusCode: 403,
    name: 'policy_refused',
    message:
      'Refused by the policy of this app: `recipients` does not allow eve@example.org. Ask an owner or an admin of the team to change the policy: http://localhost:4025/dashboard/connected-apps',
  })
  expect((await callWith(app, tokens.access_token, 'GET', '/emails')).body.data).toMatchObject([
    { to: ['bob@example.org'] },
  ])
  expect((await callWith(app, tokens.access_token, 'POST', '/topics', { name: 'News' })).body).toMatchObject({
    name: 'policy_refused',
    message: expect.stringContaining('This app has a policy'),
  })
  expect(await grants()).toMatchObject([{ id: grant, policy: ONLY_BOB }])
  expect((await ada.get('/dashboard/oauth/grants')).body.data).toMatchObject([{ id: grant, policy: ONLY_BOB }])
  const { data } = (await ada.get('/audit-events')).body
  expect(data[0]).toMatchObject({ action: 'oauth.approve', details: { policy: { recipients: { addresses: 1 } } } })
})

test('an app without a policy can do what it could, and its grant says so', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')

  const { access_token } = await getTokens(app, ada)

  expect((await callWith(app, access_token, 'POST', '/emails', mailTo('eve@example.org'))).status).toBe(200)
  expect((await ada.get('/oauth/grants')).body.data).toMatchObject([{ policy: null }])
})

test('an app for sending has no broadcasts under a policy', async () => {
  const { app, ada, tokens, send } = await startGuarded(ONLY_BOB, 'emails:send')
  const { id: segment_id } = (await ada.post('/segments', { name: 'All' })).body
  const broadcast = { segment_id, from: 'me@example.com', subject: 'News', html: '<p>Hi</p>' }
  const { id } = (await ada.post('/broadcasts', broadcast)).body

  const refused = await callWith(app, tokens.access_token, 'POST', `/broadcasts/${id}/send`, {})

  expect((await send('bob@example.org')).status).toBe(200)
  expect(refused.body).toMatchObject({ statusCode: 403, name: 'policy_refused' })
  expect((await callWith(app, tokens.access_token, 'GET', '/emails')).body.name).toBe('invalid_permission')
})

test('an app has no say in its policy, whatever it asks with', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const wide = JSON.stringify({ max_emails_per_day: 1_000_000 })
  const { client_id } = (await register(app, { policy: { max_emails_per_day: 1_000_000 } })).body
  const { answer, exchange } = await getCode(app, ada, { client_id, policy: wide }, ONLY_BOB)
  const { body: first } = await callOAuth(app, 'token', { ...exchange, policy: wide })
  const { body: tokens } = await refresh(app, first.refresh_token, { client_id, policy: wide })
  const grants = async () => (await ada.get('/oauth/grants')).body.data
  const [{ id }] = await grants()

  const own = await callWith(app, tokens.access_token, 'PATCH', `/oauth/grants/${id}`, { policy: null })

  expect(answer.searchParams.has('code')).toBe(true)
  expect(own.body).toMatchObject({ statusCode: 403, name: 'policy_refused' })
  expect(await grants()).toMatchObject([{ policy: ONLY_BOB }])
  for (const { access_token } of [first, tokens]) {
    const reply = await callWith(app, access_token, 'POST', '/emails', mailTo('eve@example.org'))
    expect(reply.body.name).toBe('policy_refused')
  }
})

test('owners see what an app did under its policy', async () => {
  const { app, ada, grant, send } = await startGuarded()
  await send('bob@example.org')
  await send('eve@example.org')

  const { body } = await ada.get(`/oauth/grants/${grant}/activity`)

  expect(body).toMatchObject({
    object: 'policy_activity',
    id: grant,
    holder: 'oauth_grant',
    policy: ONLY_BOB,
    used: { emails_last_day: 1 },
    refusals: [{ rule: 'recipients', emails: 1, recipients: ['eve@example.org'] }],
    emails: [{ to: ['bob@example.org'] }],
  })
  expect((await (await app.as('globex')).get(`/oauth/grants/${grant}/activity`)).status).toBe(404)
})

test('a refresh keeps the policy, and a narrower scope does not lose it', async () => {
  const { app, tokens, send } = await startGuarded()

  const { body: next } = await refresh(app, tokens.refresh_token)
  const { body: narrow } = await refresh(app, next.refresh_token, { scope: 'emails:send' })

  expect((await send('eve@example.org', next.access_token)).body.name).toBe('policy_refused')
  expect((await send('eve@example.org', narrow.access_token)).body.name).toBe('policy_refused')
  expect((await send('bob@example.org', narrow.access_token)).status).toBe(200)
})

test('what is no policy lets nobody in', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const globex = await app.as('globex')
  const { id: theirs } = (await globex.post('/segments', { name: 'Theirs' })).body
  const request = locationOf(await authorize(app)).searchParams.get('request')
  const approve = (policy: unknown) => ada.post('/dashboard/oauth/approve', { request, team: ada.team, policy })

  expect((await approve({})).status).toBe(422)
  expect((await approve('everything')).status).toBe(422)
  expect((await approve({ max_emails_per_day: -1 })).status).toBe(422)
  expect((await approve({ max_emails_a_day: 1 })).status).toBe(422)
  expect((await approve({ recipients: { addresses: ['nobody'] } })).status).toBe(422)
  expect((await approve({ recipients: { domains: ['no domain'] } })).status).toBe(422)
  expect((await approve({ recipients: { segment_id: theirs } })).status).toBe(404)
  expect((await ada.get('/oauth/grants')).body.data).toEqual([])
  expect((await approve(null)).status).toBe(200)
})

test('the policy of a grant is changed and removed by those who may revoke it, and counts at once', async () => {
  const { app, ada, grant, send, grants } = await startGuarded()
  const wider: Policy = { recipients: { domains: ['example.org'] }, max_emails_per_day: 1 }
  const change = (policy: unknown) => ada.patch(`/oauth/grants/${grant}`, { policy })

  expect((await change(wider)).body).toEqual({ object: 'oauth_grant', id: grant })
  expect((await send('eve@example.org')).status).toBe(200)
  expect((await send('eve@example.org')).body.message).toContain('`max_emails_per_day`')
  expect((await grants())[0].policy).toEqual(wider)
  expect((await change(null)).status).toBe(200)
  expect((await send('carol@example.com')).status).toBe(200)
  expect((await grants())[0].policy).toBeNull()

  expect((await change(undefined)).status).toBe(422)
  expect((await change({})).status).toBe(422)
  expect((await (await app.as('globex')).patch(`/oauth/grants/${grant}`, { policy: wider })).status).toBe(404)
  const { data } = (await ada.get('/audit-events')).body
  expect(data.slice(0, 2)).toMatchObject([
    { action: 'oauth.grants.update', details: { policy: null } },
    { action: 'oauth.grants.update', details: { policy: { recipients: { domains: 1 }, max_emails_per_day: 1 } } },
  ])
})

test('whatever ends a grant ends its policy', async () => {
  const { app, ada, tokens, grant, policies } = await startGuarded()
  expect(await policies()).toEqual([{ id: grant, holder: 'oauth_grant', policy: ONLY_BOB }])
  const endings: (() => Promise<unknown>)[] = [
    () => ada.delete(`/oauth/grants/${grant}`),
    async () => {
      const { refresh_token } = await getTokens(app, ada, {}, ONLY_BOB)
      await callOAuth(app, 'revoke', { client_id: CLI.id, token: refresh_token })
    },
    async () => {
      const { exchange } = await getCode(app, ada, {}, ONLY_BOB)
      await callOAuth(app, 'token', exchange)
      await callOAuth(app, 'token', exchange)
    },
    async () => {
      await getTokens(app, ada, {}, ONLY_BOB)
      const [own] = (await ada.get('/dashboard/oauth/grants')).body.data
      await ada.delete(`/dashboard/oauth/grants/${own.id}`)
    },
    async () => {
      await getTokens(app, ada, {}, ONLY_BOB)
      await app.db.transaction((trx) => revokeGrantsOf(trx, ada.team, ada.userId, 'membership_ended'))
    },
    async () => {
      await getCode(app, ada, { redirect_uri: CALLBACK }, ONLY_BOB)
      app.clock.advance(3_600)
      await sweepOAuthTokens.run({}, { ...app.services, signal: new AbortController().signal })
    },
  ]

  for (const end of endings) {
    await end()
    expect(await policies()).toEqual([])
  }
  expect((await callWith(app, tokens.access_token, 'GET', '/emails')).status).toBe(401)
})

test('an app whose time runs out loses no mail that waits for a yes', async () => {
  const { app, ada, grant, grants, policies, send } = await startGuarded({ hold: { notify: ['eve@example.org'] } })
  const { body: mail } = await send('bob@example.org')
  const sweep = () => sweepOAuthTokens.run({}, { ...app.services, signal: new AbortController().signal })
  await app.runDueJobs()
  const [notice] = await noticesTo(app, 'eve@example.org')

  app.clock.advance(2 * 86_400)
  await app.db.query(sql`delete from oauth_refresh_tokens where team_id = ${ada.team}`)
  await sweep()

  expect((await app.send({ method: 'GET', url: notice!.approve })).status).toBe(200)
  expect((await ada.post(`/approvals/${mail.id}/approve`)).body).toMatchObject({ id: mail.id, status: 'approved' })
  await app.deliverDue()
  expect((await ada.get(`/emails/${mail.id}`)).body.last_event).toBe('delivered')

  await sweep()
  expect(await grants()).toMatchObject([{ id: grant, revoked_reason: 'expired' }])
  expect(await policies()).toEqual([])
})
