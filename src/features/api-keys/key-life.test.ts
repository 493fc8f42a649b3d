import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { signedIn } from '../../../test/harness/browser-session.ts'
import { isRefusal } from '../../adapters/smtp-server/handler.ts'

// Who made a key, until when it works, and how much it was used.

const DAY = 86_400

const topicsWith = (app: App, token: string) =>
  app.send({ url: '/topics', headers: { authorization: `Bearer ${token}` } })

test('the details tell who made a key, what it may do, and how its token ends', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'admin')

  const { body: made } = await ada.post('/api-keys', { name: 'Deploys', permission: 'sending_access' })

  const [key] = (await ada.get('/api-keys/details')).body.data
  expect(key).toMatchObject({
    id: made.id,
    permission: 'sending_access',
    domain_id: null,
    token_end: made.token.slice(-4),
    expires_at: null,
    created_by: ada.email,
  })
})

test('a key works until it expires, and then nowhere', async () => {
  const app = await startApp({ POSTWREN_SMTP_AUTH: 'key' })
  const acme = await app.as('acme')
  const { body: key } = await acme.post('/api-keys', { name: 'Short-lived', expires_at: 'in 2 days' })
  const somebody = await signedIn(app, key.token)
  expect((await topicsWith(app, key.token)).status).toBe(200)

  app.clock.advance(2 * DAY)

  await expect
    .poll(async () => (await topicsWith(app, key.token)).body)
    .toEqual({ statusCode: 403, message: 'API key is not active', name: 'restricted_api_key' })
  const login = await app.handler.authenticate({ username: 'resend', password: key.token }, PEER)
  expect(login).toMatchObject({ code: 535, message: 'API key is not active' })
  await expect.poll(async () => (await somebody.get('/topics')).status).toBe(401)
  expect((await acme.get('/topics')).status).toBe(200)
})

const PEER = { address: '192.0.2.1', helo: 'client.example' } as never

test('a key that expires logs in by SMTP until then', async () => {
  const app = await startApp({ POSTWREN_SMTP_AUTH: 'key' })
  const { body: key } = await (await app.as('acme')).post('/api-keys', { name: 'Mailer', expires_at: 'in 1 hour' })

  expect(isRefusal(await app.handler.authenticate({ username: 'resend', password: key.token }, PEER))).toBe(false)
})

test.each([
  ['yesterday', 'It must be in the future.'],
  ['2020-01-01T00:00:00Z', 'It must be in the future.'],
  ['soon enough', 'It must be a date in ISO 8601, or words like `in 90 days`.'],
  ['', 'It must be a date in ISO 8601, or words like `in 90 days`.'],
  ['x'.repeat(100_000), 'It must be a date in ISO 8601, or words like `in 90 days`.'],
  ['9999-01-01T00:00:00Z', 'It must be at most 100 years ahead.'],
])('an expiry that is none is refused: %.20s', async (expires_at, reason) => {
  const app = await startApp()
  const acme = await app.as('acme')

  const { body } = await acme.post('/api-keys', { name: 'Never', expires_at })

  expect(body).toEqual({
    statusCode: 422,
    message: `Invalid \`expires_at\` field. ${reason}`,
    name: 'validation_error',
  })
  expect((await acme.get('/api-keys')).body.data).toHaveLength(1)
})

test('the time of the team counts for what expires', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: key } = await acme.post('/api-keys', { name: 'Ahead', expires_at: 'in 2 days' })

  app.clock.putAhead(acme.team, 3 * DAY)

  expect((await topicsWith(app, key.token)).body.message).toBe('API key is not active')
})

test('developers make, rename and remove keys that send, and none that may do everything', async () => {
  const app = await startApp()
  const [acme, developer] = [await app.as('acme'), await app.person('acme', 'developer')]
  const { body: full } = await acme.post('/api-keys', { name: 'Full' })
  const sending = { name: 'Sending', permission: 'sending_access' }

  const made = await developer.post('/api-keys', sending)
  const refused = [
    await developer.post('/api-keys', { name: 'Full' }),
    await developer.patch(`/api-keys/${full.id}`, { name: 'Mine' }),
    await developer.delete(`/api-keys/${full.id}`),
  ]

  expect(made.status).toBe(201)
  expect(refused.map(({ body }) => body.name)).toEqual(Array(3).fill('invalid_permission'))
  expect((await developer.patch(`/api-keys/${made.body.id}`, { name: 'Mine' })).status).toBe(200)
  expect((await developer.delete(`/api-keys/${made.body.id}`)).status).toBe(200)
  expect((await acme.get('/api-keys')).body.data).toMatchObject([{ name: 'Full' }, {}])
})

test('the use of a key is counted by day, in all processes together', async () => {
  const [one, other] = [await startApp(), await startApp({ POSTWREN_RATE_LIMIT: '1000' })]
  const acme = await one.as('acme')
  const { body: key } = await acme.post('/api-keys', { name: 'Busy' })
  const uses = async () => (await acme.get(`/api-keys/${key.id}/uses`)).body

  await topicsWith(one, key.token)
  await topicsWith(other, key.token)
  await other.flush()
  one.clock.advance(DAY)
  await Promise.all([1, 2, 3].map(() => topicsWith(one, key.token)))
  const { object, data } = await uses()

  expect([object, data.length]).toEqual(['api_key_uses', 30])
  expect(data.map(({ requests }: { requests: number }) => requests)).toEqual([...Array(28).fill(0), 2, 3])
  expect(data.at(-1).date).toBe(one.clock.now().toISOString().slice(0, 10))
})

test('keys of others have no use to show', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const { body: key } = await globex.post('/api-keys', { name: 'Theirs' })

  expect((await acme.get(`/api-keys/${key.id}/uses`)).body.message).toBe('API key not found')
})

test('the use of a key that is deleted meanwhile does not keep that of others from being written down', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: gone } = await acme.post('/api-keys', { name: 'Gone' })
  const { body: stays } = await acme.post('/api-keys', { name: 'Stays' })
  await topicsWith(app, gone.token)
  await topicsWith(app, stays.token)
  await acme.delete(`/api-keys/${gone.id}`)

  const { body } = await acme.get(`/api-keys/${stays.id}/uses`)

  expect(body.data.at(-1).requests).toBe(1)
})
