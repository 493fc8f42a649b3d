import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { authenticator } from '../../../test/harness/authenticator.ts'
import { readableLog } from '../../../test/harness/log.ts'
import { sql } from '../../kernel/db/sql.ts'

const STALE = { statusCode: 403, name: 'verification_required' }
const INVALID_PASSKEY = { status: 403, body: { name: 'invalid_passkey' } }

test('what is dangerous needs a fresh proof: a passkey', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const device = authenticator()
  const { options } = (await ada.post('/account/passkeys/options')).body
  const { body: passkey } = await ada.post('/account/passkeys', { name: 'Key', response: device.register(options) })
  app.clock.advance(11 * 60)
  app.services.sessions.forget()

  expect((await ada.delete(`/account/passkeys/${passkey.id}`)).body).toMatchObject(STALE)
  const asked = (await ada.post('/dashboard/verify/passkey/options')).body.options
  const response = device.answer(asked)
  const proven = await ada.post('/dashboard/verify/passkey', { response })

  expect(asked.allowCredentials).toHaveLength(1)
  expect(proven.status).toBe(200)
  expect(await ada.post('/dashboard/verify/passkey', { response })).toMatchObject(INVALID_PASSKEY)
  expect((await ada.delete(`/account/passkeys/${passkey.id}`)).status).toBe(200)
  const actions = await app.db.query<{ action: string }>(sql`
    select action from audit_events where team_id = ${ada.team} and action = 'account.verify'`)
  expect(actions).toHaveLength(1)
})

test('or a link, in the session that asked for it', async () => {
  const { log, saying } = readableLog()
  const app = await startApp({}, { log })
  const [ada, bob] = [await app.person('acme', 'owner'), await app.person('acme', 'owner')]
  app.clock.advance(11 * 60)
  app.services.sessions.forget()

  expect((await ada.post('/account/passkeys/options')).body).toMatchObject(STALE)
  await ada.post('/dashboard/verify/link')
  await app.runDueJobs()
  const token = String(saying('people: Confirm your identity')[0]!.link).split('#verify=')[1]!

  const refused = { status: 403, body: { name: 'invalid_sign_in_link' } }
  expect(await bob.post('/dashboard/verify', { token })).toMatchObject(refused)
  expect(await ada.post('/dashboard/sign-in', { token })).toMatchObject(refused)
  expect((await ada.post('/dashboard/verify', { token })).status).toBe(200)
  expect(await ada.post('/dashboard/verify', { token })).toMatchObject(refused)
  expect((await ada.post('/account/passkeys/options')).status).toBe(200)
})

test('the passkey of somebody else proves nothing', async () => {
  const app = await startApp()
  const [ada, bob] = [await app.person('acme', 'owner'), await app.person('acme', 'owner')]
  const device = authenticator()
  const { options } = (await bob.post('/account/passkeys/options')).body
  await bob.post('/account/passkeys', { name: 'Key', response: device.register(options) })

  const asked = (await ada.post('/dashboard/verify/passkey/options')).body.options

  expect(await ada.post('/dashboard/verify/passkey', { response: device.answer(asked) })).toMatchObject(INVALID_PASSKEY)
  expect((await ada.get('/dashboard/verify')).body).toEqual({
    object: 'verification',
    is_received_here: false,
    passkeys: null,
    email: ada.email,
  })
})
