import { expect, test } from 'vitest'
import { type App, type Person, startApp } from '../../../../test/harness/app.ts'
import { authenticator } from '../../../../test/harness/authenticator.ts'
import { FROM_OUR_PAGE } from '../../../../test/harness/browser-session.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { ensureRecurring } from '../../../kernel/jobs/queries.ts'
import { sweepSignIns } from '../jobs.ts'

const MAC = 'Mozilla/5.0 (Macintosh)'

/** The same person at another browser. */
async function elsewhere(app: App, { userId, team }: Person) {
  const session = { userId, team, method: 'passkey', ipAddress: '192.0.2.8', userAgent: MAC } as const
  const cookie = (await app.services.sessions.openFor(session)).split(';', 1)[0]!
  return { get: (url: string) => app.send({ method: 'GET', url, headers: { ...FROM_OUR_PAGE, cookie } }) }
}

test('people see who they are, and change their name', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'viewer')

  await ada.patch('/account', { name: 'Ada' })

  expect((await ada.get('/account')).body).toMatchObject({ email: ada.email, name: 'Ada', is_operator: false })
  expect((await ada.patch('/account', { name: 'A\u0007' })).status).toBe(422)
})

test('people end their sessions, one by one or all others', async () => {
  const app = await startApp()
  const [ada, bob] = [await app.person('acme', 'viewer'), await app.person('acme', 'viewer')]
  const [phone, tablet] = [await elsewhere(app, ada), await elsewhere(app, ada)]
  const { data } = (await ada.get('/account/sessions')).body
  const [, second, own] = data

  expect(data).toHaveLength(3)
  expect(data.map((one: { is_current: boolean }) => one.is_current)).toEqual([false, false, true])
  expect(second).toMatchObject({ method: 'passkey', ip_address: '192.0.2.8', user_agent: MAC })
  expect((await bob.delete(`/account/sessions/${own.id}`)).status).toBe(404)
  expect((await ada.delete(`/account/sessions/${second.id}`)).status).toBe(200)
  expect((await phone.get('/topics')).status).toBe(401)
  expect((await tablet.get('/topics')).status).toBe(200)
  expect((await ada.delete('/account/sessions')).body.deleted).toBe(1)
  expect((await tablet.get('/topics')).status).toBe(401)
  expect((await ada.get('/topics')).status).toBe(200)
})

test('a passkey is registered once, for the one who asked', async () => {
  const app = await startApp()
  const [ada, bob] = [await app.person('acme', 'viewer'), await app.person('acme', 'viewer')]
  const device = authenticator()
  const { options } = (await ada.post('/account/passkeys/options')).body
  const response = device.register(options)

  expect((await bob.post('/account/passkeys', { name: 'Key', response })).status).toBe(422)
  const { body } = await ada.post('/account/passkeys', { name: 'Key', response })
  expect((await ada.post('/account/passkeys', { name: 'Key', response })).status).toBe(403)
  const again = (await ada.post('/account/passkeys/options')).body.options
  expect(again.excludeCredentials).toHaveLength(1)
  expect((await ada.post('/account/passkeys', { name: 'Key', response: device.register(again) })).body.message).toBe(
    'This passkey is registered already.',
  )
  expect((await bob.patch(`/account/passkeys/${body.id}`, { name: 'Mine' })).status).toBe(404)
  await ada.patch(`/account/passkeys/${body.id}`, { name: 'Blue key' })
  expect((await ada.get('/account/passkeys')).body.data).toMatchObject([{ id: body.id, name: 'Blue key' }])
  expect((await bob.delete(`/account/passkeys/${body.id}`)).status).toBe(404)
})

test('what cannot be a passkey is refused with the reason', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'viewer')
  const { options } = (await ada.post('/account/passkeys/options')).body
  const good = authenticator().register(options)
  const foreign = authenticator({ origin: 'https://evil.example', rpId: 'evil.example' }).register(options)
  const withResponse = (changes: object) => ({ ...good, response: { ...good.response, ...changes } })

  for (const response of [
    ...[foreign, withResponse({ attestationObject: 'AAAA' }), withResponse({ clientDataJSON: 'AAAA' })],
    ...[withResponse({ attestationObject: '' }), withResponse({ transports: Array(20).fill('usb') }), {}],
  ])
    expect((await ada.post('/account/passkeys', { name: 'Key', response })).status).toBe(422)
})

test('a session that nobody uses ends, and one that is used goes on', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'viewer')
  const phone = await elsewhere(app, ada)
  for (let day = 0; day < 20; day++) {
    app.clock.advance(86_400)
    app.services.sessions.forget()
    await ada.get('/topics')
  }

  expect((await ada.get('/topics')).status).toBe(200)
  expect((await phone.get('/topics')).status).toBe(401)
  await ensureRecurring(app.db, [sweepSignIns])
  await app.runDueJobs()
  expect(await app.db.query(sql`select id from user_sessions where user_id = ${ada.userId}`)).toHaveLength(1)
})

test('keys have no account', async () => {
  const acme = await (await startApp()).as('acme')

  expect((await acme.get('/account')).body).toMatchObject({ name: 'invalid_permission' })
})
