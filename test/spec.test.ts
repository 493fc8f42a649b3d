import { expect, test } from 'vitest'
import { sql } from '../src/kernel/db/sql.ts'
import { startApp } from './harness/app.ts'

// spec.md through HTTP, in its own order. Section 4.5 is in spec-pagination.test.ts.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+\+00$/

test.each(['/api-keys', '/topics', '/contacts', '/segments'])('%s is a list in an envelope (2.1)', async (path) => {
  const app = await startApp()
  const acme = await app.as('acme')

  const { body } = await acme.get(path)

  expect(Object.keys(body)).toEqual(['object', 'has_more', 'data'])
  expect(body).toMatchObject({ object: 'list', has_more: false, data: expect.any(Array) })
})

test('an API key in a list has an id, a name and two times, nothing else, and never its secret (2.2)', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: created } = await acme.post('/api-keys', { name: 'Production' })

  const { body, text } = await acme.get('/api-keys')

  const [key, own] = body.data
  expect(key).toEqual({
    id: created.id,
    name: 'Production',
    created_at: expect.stringMatching(TIMESTAMP),
    last_used_at: null,
  })
  expect(key.id).toMatch(UUID)
  expect(own.last_used_at).toMatch(TIMESTAMP)
  expect(text).not.toContain(created.token)
  expect(text).not.toContain(acme.token)
})

test.each([
  ['2023-04-08 00:11:13.110779+00', '2023-04-08 00:11:13.110779+00'],
  ['2025-11-30 20:41:40.842160+00', '2025-11-30 20:41:40.84216+00'],
  ['2023-04-08 00:10:00.000001+00', '2023-04-08 00:10:00.000001+00'],
  ['2023-04-08 00:11:13+00', '2023-04-08 00:11:13.0+00'],
  ['2023-04-08 00:11:13.5+00', '2023-04-08 00:11:13.5+00'],
  ['2024-02-29 23:30:00.25-02:30', '2024-03-01 02:00:00.25+00'],
])(
  'the moment %s is written as %s: a fraction is always there, without zeros at its end, and the offset is +00 (2.2)',
  async (moment, written) => {
    const app = await startApp()
    const acme = await app.as('acme')
    await app.db.query(sql`update api_keys set created_at = ${moment} where team_id = ${acme.team}`)

    const { body } = await acme.get('/api-keys')

    expect(body.data[0].created_at).toBe(written)
  },
)

test('creating a topic needs a name only, and answers with object and id (2.3, 4.2)', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const created = await acme.post('/topics', { name: 'News' })

  expect(created.body).toEqual({ object: 'topic', id: expect.stringMatching(UUID) })
  expect((await acme.get(`/topics/${created.body.id}`)).body).toMatchObject({
    name: 'News',
    default_subscription: 'opt_in',
  })
})

test('a topic can be created with a description and opt_in (2.3, 4.2)', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const topic = { name: 'News', description: 'Once a month', default_subscription: 'opt_in' }

  const created = await acme.post('/topics', topic, { 'content-type': 'application/json' })

  expect((await acme.get(`/topics/${created.body.id}`)).body).toMatchObject(topic)
})

test('a topic without a name is refused (2.3)', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const reply = await acme.post('/topics', { description: 'Once a month' })

  expect(reply.body).toEqual({ statusCode: 422, message: 'Missing `name` field.', name: 'missing_required_field' })
})

// A person counts 👩‍🚀 as one and UTF-16 as five; a character here is a Unicode code point, and 🐦 is one.
test.each([
  ['name', 'a', 50],
  ['name', '🐦', 50],
  ['description', 'é', 200],
  ['description', '🐦', 200],
])('the %s of a topic may have so many %s: %i, and not one more (2.3, 8)', async (field, character, limit) => {
  const app = await startApp()
  const acme = await app.as('acme')

  const longest = await acme.post('/topics', { name: 'News', [field]: character.repeat(limit) })
  const tooLong = await acme.post('/topics', { name: 'News', [field]: character.repeat(limit + 1) })

  expect((await acme.get(`/topics/${longest.body.id}`)).body[field]).toBe(character.repeat(limit))
  expect(tooLong.body).toMatchObject({ statusCode: 422, name: 'validation_error' })
  expect(tooLong.body.message).toContain(`\`${field}\``)
  expect(tooLong.body.message).toContain(String(limit))
})

test('a contact in a list has six fields (2.4)', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const person = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' }
  const { body: created } = await acme.post('/contacts', person)

  const { body } = await acme.get('/contacts')

  expect(body.data).toEqual([
    { ...person, id: created.id, created_at: expect.stringMatching(TIMESTAMP), unsubscribed: false },
  ])
  expect(body.data[0].id).toMatch(UUID)
})

test('the contacts of a segment are those in it (4.3)', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: segment } = await acme.post('/segments', { name: 'Early' })
  const { body: inside } = await acme.post('/contacts', { email: 'ada@example.com', segments: [{ id: segment.id }] })
  await acme.post('/contacts', { email: 'bob@example.com' })

  const byPath = await acme.get(`/segments/${segment.id}/contacts`)
  const byQuery = await acme.get(`/contacts?segment_id=${segment.id}`)

  expect(byPath.body.data).toMatchObject([{ id: inside.id, email: 'ada@example.com' }])
  expect(byQuery.body).toEqual(byPath.body)
})

test.each([undefined, '', 'Bearer', 'Bearer ', 'Basic cmVfMTIzOg==', 're_123'])(
  'a request without a bearer key is refused: authorization %j (5)',
  async (authorization) => {
    const app = await startApp()

    const reply = await app.send({ url: '/contacts', headers: authorization === undefined ? {} : { authorization } })

    expect(reply.body).toMatchObject({ statusCode: 401, name: 'missing_api_key' })
  },
)

test('a key that the API keys resource made opens the API, with the rights of its team (5)', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/contacts', { email: 'ada@example.com' })
  const { body: key } = await acme.post('/api-keys', { name: 'Production' })

  const reply = await app.send({ url: '/contacts', headers: { authorization: `Bearer ${key.token}` } })

  expect(reply.body.data).toMatchObject([{ email: 'ada@example.com' }])
})

test('an error is a name, a status and a message, and its status is the one of the answer (7)', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const reply = await acme.get('/contacts?limit=0')

  expect(reply.status).toBe(422)
  expect(reply.body).toEqual({ statusCode: 422, message: expect.any(String), name: 'validation_error' })
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
})
