import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { newId } from '../../../test/harness/ids.ts'

test('a contact is created, shown, changed and deleted', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const created = await acme.post('/contacts', { email: 'ada@example.com', first_name: 'Ada' })
  expect(created.status).toBe(201)
  expect(created.body).toEqual({ object: 'contact', id: expect.any(String) })

  const { id } = created.body
  expect((await acme.get(`/contacts/${id}`)).body).toEqual({
    object: 'contact',
    id,
    email: 'ada@example.com',
    first_name: 'Ada',
    last_name: null,
    created_at: expect.any(String),
    unsubscribed: false,
    properties: {},
  })

  const changes = { first_name: null, last_name: 'Lovelace', unsubscribed: true }
  expect((await acme.patch(`/contacts/${id}`, changes)).body).toEqual({ object: 'contact', id })
  expect((await acme.get(`/contacts/${id}`)).body).toMatchObject(changes)

  expect((await acme.delete(`/contacts/${id}`)).body).toEqual({ object: 'contact', id, contact: id, deleted: true })
  expect((await acme.get(`/contacts/${id}`)).body.message).toBe('Contact not found')
  expect((await acme.delete(`/contacts/${id}`)).body.message).toBe('Contact not found')
})

test('a contact needs an address, and one that mail can be sent to', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const missing = await acme.post('/contacts', { first_name: 'Ada' })
  const wrong = await acme.post('/contacts', { email: 'Ada <ada@example.com>' })

  expect(missing.body).toEqual({ statusCode: 422, message: 'Missing `email` field.', name: 'missing_required_field' })
  expect(wrong.body).toMatchObject({ statusCode: 422, name: 'validation_error' })
  expect(wrong.body.message).toContain('`email@example.com`')
})

test.each([
  'ada+news@example.com',
  "o'brien@example.com",
  'a/b@example.com',
  'a%b@example.com',
  'a?b#c@example.com',
  'a=b&c@example.com',
  'grüße@exämple.com',
  '🐦@example.com',
])('the contact %s is found by its address, as it is or encoded', async (email) => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: contact } = await acme.post('/contacts', { email })
  // Clients write it raw; what cannot stand in a path as it is, they must encode.
  const raw = email.replace(/[%/?#]/g, encodeURIComponent).replace(/[^\0-\x7f]+/g, encodeURIComponent)

  for (const name of [raw, encodeURIComponent(email), raw.toUpperCase()]) {
    expect((await acme.get(`/contacts/${name}`)).body, name).toMatchObject({ id: contact.id, email })
    expect((await acme.patch(`/contacts/${name}`, { first_name: name })).body).toEqual(contact)
  }
  expect((await acme.delete(`/contacts/${encodeURIComponent(email)}`)).body.contact).toBe(contact.id)
})

test('an address that is known keeps its contact: what is given now is added to it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/contact-properties', { key: 'plan', type: 'string' })
  await acme.post('/contact-properties', { key: 'age', type: 'number' })
  const first = { email: 'ada@example.com', first_name: 'Ada', unsubscribed: true, properties: { plan: 'free' } }
  const { body: known } = await acme.post('/contacts', first)
  const { body: before } = await acme.get(`/contacts/${known.id}`)

  const again = await acme.post('/contacts', {
    email: 'ADA@Example.com',
    first_name: null,
    last_name: 'Lovelace',
    properties: { age: 36 },
  })

  expect(again.status).toBe(201)
  expect(again.body).toEqual(known)
  expect((await acme.get(`/contacts/${known.id}`)).body).toEqual({
    ...before,
    last_name: 'Lovelace',
    properties: { plan: { type: 'string', value: 'free' }, age: { type: 'number', value: 36 } },
  })
})

test('ten requests at once for one address make one contact', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      acme.post('/contacts', { email: n % 2 ? 'ada@example.com' : 'ADA@example.com' }),
    ),
  )

  expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1)
  expect((await acme.get('/contacts')).body.data).toHaveLength(1)
  expect((await acme.events()).filter(({ type }) => type === 'contact.created')).toHaveLength(1)
})

test('the same address is another contact in another team', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]

  const { body: ours } = await acme.post('/contacts', { email: 'ada@example.com' })
  const { body: theirs } = await globex.post('/contacts', { email: 'ada@example.com', first_name: 'Ada' })

  expect(theirs.id).not.toBe(ours.id)
  expect((await acme.get('/contacts/ada@example.com')).body).toMatchObject({ id: ours.id, first_name: null })
})

test('an address can be changed, but not to one that another contact has', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/contacts', { email: 'bob@example.com' })
  const { body: ada } = await acme.post('/contacts', { email: 'ada@example.com' })

  const taken = await acme.patch(`/contacts/${ada.id}`, { email: 'BOB@example.com', first_name: 'Ada' })
  const spelled = await acme.patch(`/contacts/${ada.id}`, { email: 'Ada@Example.com' })
  const moved = await acme.patch('/contacts/ada@example.com', { email: 'lovelace@example.com' })

  expect(taken.body).toMatchObject({ statusCode: 422, name: 'validation_error' })
  expect([spelled.status, moved.status]).toEqual([200, 200])
  expect((await acme.get(`/contacts/${ada.id}`)).body).toMatchObject({
    email: 'lovelace@example.com',
    first_name: null,
  })
  expect((await acme.get('/contacts/ada@example.com')).status).toBe(404)
})

test('what an update does not name stays', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/contacts', { email: 'ada@example.com', first_name: 'Ada', unsubscribed: true })
  const { body: before } = await acme.get('/contacts/ada@example.com')

  for (const nothing of [{}, { unsubscribed: null, properties: null, email: null }, { properties: {} }, undefined])
    expect((await acme.patch('/contacts/ada@example.com', nothing)).status).toBe(200)

  expect((await acme.get('/contacts/ada@example.com')).body).toEqual(before)
})

test('segments are given as ids or as objects, and one audience or segment beside them', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const made = ['One', 'Two', 'Three'].map(async (name) => (await acme.post('/segments', { name })).body.id)
  const [one, two, three] = await Promise.all(made)

  await acme.post('/contacts', { email: 'ada@example.com', segments: [one, { id: two }, one], audience_id: three })
  await acme.post('/contacts', { email: 'eve@example.com', segment_id: three })
  await acme.post('/contacts', { email: 'bob@example.com', segments: [], audience_id: null })

  const { body } = await acme.get('/contacts/ada@example.com/segments')
  expect(body.data.map(({ id }: { id: string }) => id).sort()).toEqual([one, two, three].sort())
  expect((await acme.get('/contacts/eve@example.com/segments')).body.data).toMatchObject([{ id: three }])
  expect((await acme.get('/contacts/bob@example.com/segments')).body.data).toEqual([])
})

test('topics can be chosen when the contact is made', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: topic } = await acme.post('/topics', { name: 'News', default_subscription: 'opt_in' })

  await acme.post('/contacts', { email: 'ada@example.com', topics: [{ id: topic.id, subscription: 'opt_out' }] })

  expect((await acme.get('/contacts/ada@example.com/topics')).body.data).toMatchObject([{ subscription: 'opt_out' }])
})

test('a contact that names something unknown is not made at all', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: theirs } = await (await app.as('globex')).post('/segments', { name: 'Theirs' })
  const unknown = [
    { segments: [newId()] },
    { segments: [theirs.id] },
    { audience_id: theirs.id },
    { topics: [{ id: newId(), subscription: 'opt_in' }] },
    { properties: { plan: 'free' } },
  ]

  for (const field of unknown) {
    const reply = await acme.post('/contacts', { email: 'ada@example.com', ...field })

    expect([404, 422], JSON.stringify(field)).toContain(reply.status)
  }
  expect((await acme.get('/contacts')).body.data).toEqual([])
  expect(await acme.events()).toEqual([])
})

test('the list is narrowed to an address, or to a part of one, in all contacts or in a segment', async () => {
  const acme = await (await startApp()).as('acme')
  const segment = (await acme.post('/segments', { name: 'Readers' })).body
  await acme.post('/contacts', { email: 'Ada@example.com', segments: [{ id: segment.id }] })
  await acme.post('/contacts', { email: 'adam@elsewhere.example' })
  const emails = async (query: string) =>
    (await acme.get(`/contacts?${query}`)).body.data.map(({ email }: { email: string }) => email)

  expect(await emails('email=ada@EXAMPLE.com')).toEqual(['Ada@example.com'])
  expect(await emails('email=ADA')).toEqual(['adam@elsewhere.example', 'Ada@example.com'])
  expect(await emails('email=ada&limit=1')).toEqual(['adam@elsewhere.example'])
  expect(await emails(`email=ada&segment_id=${segment.id}`)).toEqual(['Ada@example.com'])
  expect(await emails('email=nobody')).toEqual([])
})

test('a list has properties, segments and topics of each contact where they are asked for', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/contact-properties', { key: 'plan', type: 'string' })
  const segment = (await acme.post('/segments', { name: 'Readers' })).body.id
  const topic = (await acme.post('/topics', { name: 'News', default_subscription: 'opt_in' })).body.id
  const ada = { email: 'ada@example.com', properties: { plan: 'pro' }, segments: [{ id: segment }] }
  await acme.post('/contacts', { ...ada, topics: [{ id: topic, subscription: 'opt_out' }] })
  await acme.post('/contacts', { email: 'bob@example.com' })

  const [bob, whole] = (await acme.get('/contacts?include=topics,properties,segments')).body.data
  const [plain] = (await acme.get(`/contacts?segment_id=${segment}`)).body.data
  const [some] = (await acme.get(`/contacts?segment_id=${segment}&include=segments&limit=1`)).body.data

  expect(bob).toMatchObject({ properties: {}, segments: [], topics: [] })
  expect(whole).toEqual({
    ...plain,
    properties: { plan: { type: 'string', value: 'pro' } },
    segments: [{ id: segment, name: 'Readers' }],
    topics: [{ id: topic, name: 'News', subscription: 'opt_out' }],
  })
  expect(some).toEqual({ ...plain, segments: [{ id: segment, name: 'Readers' }] })
  expect((await acme.get('/contacts?include=emails')).status).toBe(422)
})
