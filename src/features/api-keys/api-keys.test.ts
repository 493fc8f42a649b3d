import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { newId } from '../../../test/harness/ids.ts'
import { sql } from '../../kernel/db/sql.ts'

const contactsWith = (app: App, token: string) =>
  app.send({ url: '/contacts', headers: { authorization: `Bearer ${token}` } })

test('a key is created, renamed and deleted', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const created = await acme.post('/api-keys', { name: 'Staging' })
  expect(created.status).toBe(201)
  expect(created.body).toEqual({
    object: 'api_key',
    id: expect.any(String),
    token: expect.stringMatching(/^re_[\w-]{50,}$/),
  })

  const { id } = created.body
  expect((await acme.patch(`/api-keys/${id}`, { name: 'Production' })).body).toEqual({ object: 'api_key', id })
  expect((await acme.get('/api-keys')).body.data[0]).toMatchObject({ id, name: 'Production' })

  expect((await acme.delete(`/api-keys/${id}`)).body).toEqual({ object: 'api_key', id, deleted: true })
  expect((await acme.get('/api-keys')).body.data).toHaveLength(1)
  expect((await acme.delete(`/api-keys/${id}`)).body.message).toBe('API key not found')
})

test('the token is shown once: no list, no log and no table has it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const created = await acme.post('/api-keys', { name: 'Production' })
  await app.flush()
  const log = await acme.get(`/logs/${created.headers['x-request-id']}`)

  const secret = created.body.token.slice('re_12345678'.length)
  expect(log.body.response_body).toEqual({ ...created.body, token: '[redacted]' })
  expect((await acme.get('/api-keys')).text).not.toContain(secret)
  expect((await acme.get('/logs')).text).not.toContain(secret)
  const [stored] = await app.db.query<{ text: string }>(sql`
    select (select string_agg(k::text, '') from api_keys k) || (select string_agg(l::text, '') from request_logs l) as text`)
  expect(stored!.text).toContain(created.body.id)
  expect(stored!.text).not.toContain(secret)
})

test('no two keys are alike', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const keys = await Promise.all(Array.from({ length: 20 }, () => acme.post('/api-keys', { name: 'Same name' })))

  expect(new Set(keys.map(({ body }) => body.token)).size).toBe(20)
})

test('a name may be empty or have 50 characters, and must be there', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  expect((await acme.post('/api-keys', { name: '' })).status).toBe(201)
  expect((await acme.post('/api-keys', { name: '🐦'.repeat(50) })).status).toBe(201)
  expect((await acme.post('/api-keys', { name: '🐦'.repeat(51) })).body.name).toBe('validation_error')
  expect((await acme.post('/api-keys', {})).body.message).toBe('Missing `name` field.')
  expect((await acme.patch(`/api-keys/${newId()}`, {})).body.message).toBe('Missing `name` field.')
})

test('a key has full access unless it is made for sending only', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const { body: full } = await acme.post('/api-keys', { name: 'Full' })
  const { body: explicit } = await acme.post('/api-keys', { name: 'Full', permission: 'full_access' })
  const { body: sending } = await acme.post('/api-keys', { name: 'Sending', permission: 'sending_access' })

  expect((await contactsWith(app, full.token)).status).toBe(200)
  expect((await contactsWith(app, explicit.token)).status).toBe(200)
  expect((await contactsWith(app, sending.token)).body).toEqual({
    statusCode: 401,
    message: 'This API key is restricted to only send emails.',
    name: 'restricted_api_key',
  })
})

test('an access or a domain that does not exist is refused', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const access = await acme.post('/api-keys', { name: 'Production', permission: 'admin' })
  const domain = await acme.post('/api-keys', { name: 'Sender', permission: 'sending_access', domain_id: newId() })

  expect(access.body).toMatchObject({ statusCode: 422, name: 'validation_error' })
  expect(access.body.message).toContain('`full_access`, `sending_access`')
  expect(domain.status).toBe(404)
  expect((await acme.get('/api-keys')).body.data).toHaveLength(1)
})

test('a deleted key is refused at once, by itself too', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: key } = await acme.post('/api-keys', { name: 'Short-lived' })
  const headers = { authorization: `Bearer ${key.token}` }
  expect((await contactsWith(app, key.token)).status).toBe(200)

  const deleted = await app.send({ method: 'DELETE', url: `/api-keys/${key.id}`, headers })
  const refused = await contactsWith(app, key.token)

  expect(deleted.status).toBe(200)
  expect(refused.body).toEqual({ statusCode: 403, message: 'API key is invalid', name: 'invalid_api_key' })
})

test('another process notices a deleted key within a moment', async () => {
  const [one, other] = [await startApp(), await startApp()]
  const acme = await one.as('acme')
  const { body: key } = await acme.post('/api-keys', { name: 'Short-lived' })
  expect((await contactsWith(other, key.token)).status).toBe(200)

  await acme.delete(`/api-keys/${key.id}`)

  await other.until(async () => expect((await contactsWith(other, key.token)).status).toBe(403), 3_000)
})

test('a key that did not exist a moment ago works at once', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  expect((await contactsWith(app, 're_12345678_unknown')).status).toBe(403)

  const { body: key } = await acme.post('/api-keys', { name: 'New' })

  expect((await contactsWith(app, key.token)).status).toBe(200)
})

test('the list shows when a key was last used, right after it was', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: key } = await acme.post('/api-keys', { name: 'Production' })
  const lastUse = async () => (await acme.get('/api-keys')).body.data[0].last_used_at

  const unused = await lastUse()
  await contactsWith(app, key.token)
  const used = await lastUse()
  app.clock.advance(1)
  await contactsWith(app, key.token)
  const usedAgain = await lastUse()

  expect(unused).toBeNull()
  expect(used).toMatch(/\+00$/)
  expect(usedAgain > used).toBe(true)
})

test('a use that is reported late does not turn the time back', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await app.db.query(sql`update api_keys set last_used_at = '2999-01-01' where team_id = ${acme.team}`)

  await acme.get('/contacts')

  expect((await acme.get('/api-keys')).body.data[0].last_used_at).toBe('2999-01-01 00:00:00.0+00')
})
