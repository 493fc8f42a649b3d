import { expect, test } from 'vitest'
import { type App, type Client, type Person, startApp } from '../../../../test/harness/app.ts'
import { FROM_OUR_PAGE } from '../../../../test/harness/browser-session.ts'
import { formOf } from '../../../../test/harness/form.ts'
import { type HeldBody, holdBody } from '../../../../test/harness/held-body.ts'
import { leftovers } from '../../../../test/harness/imports.ts'
import { callWith, getTokens } from '../../../../test/harness/oauth.ts'
import { holdSteadyTime } from '../../../../test/harness/steady-time.ts'

// Whoever keeps an upload open has no more rights at its end than others have by then.

const NOTHING = { imports: 0, pieces: 0 }

async function start() {
  const app = await startApp()
  const acme = await app.as('acme')
  await app.server.listen({ host: '127.0.0.1', port: 0 })
  return { app, acme, time: holdSteadyTime() }
}

async function hold(app: App, headers: Record<string, string>): Promise<HeldBody> {
  // More than a piece: part of it is stored before the end.
  const rows = Array.from({ length: 30_000 }, (_, n) => `person-${n}@example.com\n`).join('')
  const { payload, headers: ofForm } = await formOf({ file: `email\n${rows}` })
  return holdBody(app, { method: 'POST', path: '/contacts/imports', payload, headers: { ...ofForm, ...headers } })
}

const byToken = (token: string) => ({ authorization: `Bearer ${token}` })
const bySession = ({ cookie }: Person) => ({ ...FROM_OUR_PAGE, cookie })

const key = async (client: Client) => (await client.post('/api-keys', { name: 'Imports' })).body

test.each<[string, (acme: Client, id: string) => Promise<unknown>]>([
  ['was revoked', (acme, id) => acme.delete(`/api-keys/${id}`)],
  ['got a policy', (acme, id) => acme.patch(`/api-keys/${id}`, { policy: { hold: true } })],
])('a key that %s during its upload imports nothing', async (_what, change) => {
  const { app, acme, time } = await start()
  const { id, token } = await key(acme)
  const held = await hold(app, byToken(token))

  await change(acme, id)
  time.advance(1_000)

  expect((await held.finish()).status).toBe(403)
  expect(await leftovers(app, acme)).toEqual(NOTHING)
})

test.each<[string, (owner: Person, user: string) => Promise<unknown>]>([
  ['was removed', (owner, user) => owner.delete(`/members/${user}`)],
  ['may only look', (owner, user) => owner.patch(`/members/${user}`, { role: 'viewer' })],
])('a person who %s during an upload imports nothing', async (_what, change) => {
  const { app, acme, time } = await start()
  const person = await app.person('acme', 'admin')
  const held = await hold(app, bySession(person))

  await change(await app.ownerOf(acme), person.userId)
  time.advance(1_000)

  expect((await held.finish()).status).toBe(403)
  expect(await leftovers(app, acme)).toEqual(NOTHING)
})

test('an app whose access was ended during its upload imports nothing', async () => {
  const { app, acme, time } = await start()
  const ada = await app.person('acme', 'owner')
  const { access_token: token } = await getTokens(app, ada)
  const [{ id }] = (await ada.get('/oauth/grants')).body.data
  const held = await hold(app, byToken(token))

  await ada.delete(`/oauth/grants/${id}`)
  time.advance(1_000)

  expect((await held.finish()).status).toBe(401)
  expect(await leftovers(app, acme)).toEqual(NOTHING)
})

test('an upload that takes its time is imported', async () => {
  const { app, acme, time } = await start()
  const { token } = await key(acme)
  const held = await hold(app, byToken(token))
  time.advance(1_000)

  const { status, body } = await held.finish()

  expect(status).toBe(201)
  expect((await callWith(app, token, 'GET', `/contacts/imports/${body.id}`)).body.status).toBe('queued')
})
