import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { type Account, openBrowser, startProvider } from '../../../test/harness/oidc.ts'
import { OutgoingHttp } from '../../adapters/outgoing-http/outgoing-http.ts'
import { ProviderClient } from '../../features/people/oidc/client.ts'
import { sql } from '../../kernel/db/sql.ts'
import { readOidcProviders } from '../../platform/settings/oidc-setting.ts'

const ADA = { email: 'Ada@example.com', email_verified: true, name: 'Ada Lovelace', groups: ['mail'] }

/** An app that knows one provider, which knows these people. */
async function startWith(accounts: Record<string, Account>, more: object = { domains: ['example.com'] }) {
  const provider = await startProvider('acme', accounts)
  const app = await startApp({ POSTWREN_OIDC: JSON.stringify([{ ...provider.setting, ...more }]) })
  const { team } = await app.as('acme')
  await app.db.query(sql`delete from users where lower(email) = 'ada@example.com'`)
  return { app, provider, team, browser: openBrowser(app) }
}

/** In words, what the page says on which people are told that it did not work. */
const reasonOf = (text: string) => /<p>([^<]+)<\/p>/.exec(text)?.[1]

const usersOf = (app: App) =>
  app.db.query<{ email: string; name: string }>(sql`
    select email, name from users where lower(email) = 'ada@example.com'`)

test('somebody of the domain signs in, joins the team as a viewer, and the audit log tells so', async () => {
  const { app, browser } = await startWith({ ada: ADA })

  const reply = await browser.open(await browser.begin('acme'))

  expect([reply.status, reply.headers.location]).toEqual([303, '/dashboard'])
  expect(String(reply.headers['set-cookie'])).toMatch(/SameSite=Strict/)
  const { body } = await browser.session()
  expect(body).toMatchObject({ user: { email: 'Ada@example.com', name: 'Ada Lovelace' }, role: 'viewer' })
  const audited = await app.db.query(sql`
    select action, details from audit_events where team_id = ${body.team.id} and actor_name = 'Ada@example.com' order by id`)
  expect(audited).toMatchObject([
    { action: 'members.join', details: { role: 'viewer', provider: 'acme' } },
    { action: 'account.sign_in', details: { method: 'oidc' } },
  ])
})

test('whoever was removed from the team does not come back by signing in again', async () => {
  const { app, browser } = await startWith({ ada: ADA })
  await browser.open(await browser.begin('acme'))
  const { user, team } = (await browser.session()).body
  await app.db.query(sql`delete from memberships where team_id = ${team.id} and user_id = ${user.id}`)

  const again = openBrowser(app)
  await again.open(await again.begin('acme'))

  expect((await again.session()).body).toMatchObject({ user: { id: user.id }, team: null })
})

test('a team and a role can be chosen, and a group asked for', async () => {
  const provider = await startProvider('acme', { ada: ADA })
  const chosen = { groups: ['mail'], scopes: ['openid', 'email', 'groups'], team: 'Chosen', role: 'developer' }
  const app = await startApp({ POSTWREN_OIDC: JSON.stringify([{ ...provider.setting, ...chosen }]) })
  await app.as('acme')
  await app.db.query(sql`
    insert into teams (id, name, created_at) values (gen_random_uuid(), 'Chosen', now()) on conflict do nothing`)
  await app.db.query(sql`delete from users where lower(email) = 'ada@example.com'`)
  const browser = openBrowser(app)

  await browser.open(await browser.begin('acme'))

  expect((await browser.session()).body).toMatchObject({ team: { name: 'Chosen' }, role: 'developer' })
})

test.each([
  ['is not in the group', ADA, { groups: ['admins'], scopes: ['openid', 'email', 'groups'] }],
  ['is of the domain and not in the group', ADA, { domains: ['example.com'], groups: ['admins'] }],
  ['is of another domain', ADA, { domains: ['example.org', 'sub.example.com', 'ample.com'] }],
  ['is nobody whom the settings speak of', ADA, {}],
])('a stranger who %s is not let in', async (_who, account, more) => {
  const { app, browser } = await startWith({ ada: account }, more)

  const reply = await browser.open(await browser.begin('acme'))

  expect([reply.status, reasonOf(reply.text)]).toEqual([
    403,
    'There is no account for you here. Ask an administrator of your team to invite you.',
  ])
  expect(await usersOf(app)).toEqual([])
  expect((await browser.session()).status).toBe(401)
})

test('an address that nobody has verified is nobody’s, unless the operator trusts the provider', async () => {
  const unverified = { ...ADA, email_verified: false }
  const { app, provider, browser } = await startWith({ ada: unverified })

  const reply = await browser.open(await browser.begin('acme'))

  expect(reply.status).toBe(403)
  expect(reasonOf(reply.text)).toMatch(/^Acme ID has not verified your email address\./)
  expect(await usersOf(app)).toEqual([])

  const setting = { ...provider.setting, domains: ['example.com'], trust_email: true }
  const trusting = await startApp({ POSTWREN_OIDC: JSON.stringify([setting]) })
  const other = openBrowser(trusting)
  await other.open(await other.begin('acme'))
  expect((await other.session()).body.user.email).toBe('Ada@example.com')
})

test('somebody who is known signs in by their verified address, and later by who they are there', async () => {
  const accounts = { somebody: { email: '', email_verified: true } }
  const { app, browser } = await startWith(accounts, {})
  const member = await app.person('acme', 'admin')
  accounts.somebody.email = member.email.toUpperCase()

  await browser.open(await browser.begin('acme'))
  expect((await browser.session()).body).toMatchObject({ user: { id: member.userId }, role: 'admin' })

  accounts.somebody.email = 'another@example.net'
  const again = openBrowser(app)
  await again.open(await again.begin('acme'))
  expect((await again.session()).body.user.id).toBe(member.userId)
})

test('what did not begin in this browser does not end there', async () => {
  const { app, browser } = await startWith({ ada: ADA })
  const callback = await browser.begin('acme')
  const victim = openBrowser(app)

  const stolen = await victim.open(callback)
  await victim.begin('acme')
  const mixed = await victim.open(callback)

  expect(reasonOf(stolen.text)).toMatch(/^This sign-in did not begin in this browser, or it took too long/)
  expect([mixed.status, reasonOf(mixed.text)]).toEqual([403, 'Acme ID did not say who you are. Begin again.'])
  expect((await victim.session()).status).toBe(401)
  expect(await usersOf(app)).toEqual([])
})

test('a code is good once', async () => {
  const { app, browser } = await startWith({ ada: ADA })
  const callback = await browser.begin('acme')
  const before = new Map(browser.jar.ours)
  expect((await browser.open(callback)).status).toBe(303)

  const thief = openBrowser(app)
  for (const [name, value] of before) thief.jar.ours.set(name, value)
  const replayed = await thief.open(callback)

  expect([replayed.status, reasonOf(replayed.text)]).toEqual([
    403,
    'Acme ID did not say who you are (invalid_grant). Begin again.',
  ])
})

test('an answer of one provider is none of another', async () => {
  const [one, two] = [await startProvider('one', { ada: ADA }), await startProvider('two', { ada: ADA })]
  const app = await startApp({
    POSTWREN_OIDC: JSON.stringify([one, two].map(({ setting }) => ({ ...setting, domains: ['example.com'] }))),
  })
  await app.as('acme')
  const browser = openBrowser(app)

  const callback = await browser.begin('one')
  const elsewhere = await browser.open(callback.replace('/oidc/one/', '/oidc/two/'))
  const again = await browser.begin('one')
  const named = await browser.open(again.replace(/iss=[^&]+/, `iss=${encodeURIComponent(two.issuer)}`))

  expect(reasonOf(elsewhere.text)).toMatch(/^This sign-in did not begin in this browser/)
  expect([named.status, reasonOf(named.text)]).toEqual([403, 'Acme ID did not say who you are. Begin again.'])
})

test('a sign-in that takes longer than ten minutes begins again', async () => {
  const { app, browser } = await startWith({ ada: ADA })
  const callback = await browser.begin('acme')

  app.clock.advance(601)

  expect(reasonOf((await browser.open(callback)).text)).toMatch(/it took too long/)
})

test('who says no at the provider is told so', async () => {
  const { browser } = await startWith({ ada: ADA })
  const refusal = (await browser.begin('acme')).replace(/code=[^&]+/, 'error=access_denied&error_description=<script>')

  const reply = await browser.open(refusal)

  expect([reply.status, reasonOf(reply.text)]).toEqual([
    403,
    'Acme ID did not say who you are (access_denied). Begin again.',
  ])
})

test('afterwards people are where they wanted to go', async () => {
  const { browser } = await startWith({ ada: ADA })
  const callback = await browser.begin('acme', `?next=${encodeURIComponent('/dashboard/authorize?request=abc')}`)

  expect((await browser.open(callback)).headers.location).toBe('/dashboard/authorize?request=abc')
})

test('a provider that is away is told of, and not asked by everybody who tries', async () => {
  const { provider, browser } = await startWith({ ada: ADA })
  await provider.stop()

  const reply = await browser.open('/dashboard/sign-in/oidc/acme')

  expect([reply.status, reasonOf(reply.text)]).toEqual([
    503,
    'Acme ID does not answer at the moment. Try again, or sign in another way.',
  ])
  expect((await browser.open('/dashboard/sign-in/oidc/nobody')).status).toBe(404)
})

test('a provider that is silent is given up', async () => {
  let asked = 0
  const silent = createServer(() => void asked++).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await new Promise((resolve) => silent.once('listening', resolve))
  const { port } = silent.address() as { port: number }
  const [setting] = readOidcProviders(`[{"id":"x","issuer":"http://localhost:${port}","client_id":"x"}]`)
  const http = new OutgoingHttp({ allowPrivateAddresses: true })
  onTestFinished(() => http.close(0))
  const client = new ProviderClient(setting!, http, 200)

  const tries = await Promise.allSettled([client.begin('http://x/'), client.begin('http://x/')])

  expect(tries).toMatchObject(Array(2).fill({ reason: { kind: 'service_unavailable' } }))
  expect(asked).toBe(1)
})
