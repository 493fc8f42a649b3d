import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { addGrant } from '../../../test/harness/oauth.ts'
import type { Policy } from './schema.ts'

const NOBODY = expect.stringContaining('Nobody is emailed about mail that waits for approval')

async function start() {
  const app = await startApp()
  const acme = await app.as('acme')
  const create = async (policy?: Policy) => (await acme.post('/api-keys', { name: 'Agent', policy })).body
  return { app, acme, create }
}

test('whoever lets mail wait of which nobody is told hears so, when it is set and later', async () => {
  const { acme, create } = await start()

  const { id, hint } = await create({ hold: true })
  const { body: changed } = await acme.patch(`/api-keys/${id}`, { policy: { hold: { expires_in_hours: 1 } } })

  expect([hint, changed.hint]).toEqual([NOBODY, NOBODY])
  expect((await acme.get(`/api-keys/${id}/activity`)).body.hint).toEqual(NOBODY)
})

test('a viewer is nobody who approves', async () => {
  const { app, acme } = await start()
  const grant = await addGrant(app, acme.team)

  const { body } = await acme.patch(`/oauth/grants/${grant}`, { policy: { hold: true } })

  expect(body).toEqual({ object: 'oauth_grant', id: grant, hint: NOBODY })
})

test.each([
  ['somebody is named', { hold: { notify: ['boss@example.com'] } }],
  ['nothing waits', { max_emails_per_day: 1 }],
  ['it is a dry run', { hold: true, dry_run: true }],
])('nothing is said when %s', async (_what, policy) => {
  const { create } = await start()

  expect(await create(policy)).toEqual({ object: 'api_key', id: expect.any(String), token: expect.any(String) })
})

test('nor when a member can approve', async () => {
  const { app, acme, create } = await start()
  await app.person('acme', 'developer')

  const { id, hint } = await create({ hold: true })

  expect(hint).toBeUndefined()
  expect((await acme.get(`/api-keys/${id}/activity`)).body.hint).toBeNull()
})
