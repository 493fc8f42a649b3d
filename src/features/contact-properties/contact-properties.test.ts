import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'

test('a property is created, shown, changed and deleted', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const created = await acme.post('/contact-properties', { key: 'plan', type: 'string', fallback_value: 'free' })
  const { id } = created.body
  const item = { id, key: 'plan', type: 'string', fallback_value: 'free', created_at: expect.any(String) }
  expect(created.body).toEqual({ object: 'contact_property', id: expect.any(String) })
  expect((await acme.get(`/contact-properties/${id}`)).body).toEqual({ object: 'contact_property', ...item })
  expect((await acme.get('/contact-properties')).body.data).toEqual([item])

  const path = `/contact-properties/${id}`
  expect((await acme.patch(path, { fallback_value: 'paid' })).body).toEqual({ object: 'contact_property', id })
  expect((await acme.get(path)).body.fallback_value).toBe('paid')
  await acme.patch(path, { fallback_value: null })
  expect((await acme.get(path)).body.fallback_value).toBeNull()

  expect((await acme.delete(path)).body).toEqual({ object: 'contact_property', id, deleted: true })
  expect((await acme.get(path)).body.message).toBe('Contact property not found')
})

test('key and type of a property stay', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: property } = await acme.post('/contact-properties', {
    key: 'plan',
    type: 'string',
    fallback_value: 'free',
  })

  await acme.patch(`/contact-properties/${property.id}`, { key: 'size', type: 'number' })

  expect((await acme.get(`/contact-properties/${property.id}`)).body).toMatchObject({
    key: 'plan',
    type: 'string',
    fallback_value: 'free',
  })
})

test.each([
  ['string', 5],
  ['number', '5'],
  ['number', ''],
])('the fallback of a %s cannot be %j', async (type, fallback_value) => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: property } = await acme.post('/contact-properties', { key: 'other', type })

  const created = await acme.post('/contact-properties', { key: 'plan', type, fallback_value })
  const updated = await acme.patch(`/contact-properties/${property.id}`, { fallback_value })

  const message = `Invalid \`fallback_value\` field. It must be a ${type}.`
  expect(created.body).toEqual({ statusCode: 422, message, name: 'validation_error' })
  expect(updated.body).toEqual(created.body)
  expect((await acme.get('/contact-properties')).body.data).toHaveLength(1)
})

test.each([0, -1.5, 1e21])('the fallback of a number may be %d', async (fallback_value) => {
  const app = await startApp()
  const acme = await app.as('acme')

  const { body } = await acme.post('/contact-properties', { key: 'size', type: 'number', fallback_value })

  expect((await acme.get(`/contact-properties/${body.id}`)).body.fallback_value).toBe(fallback_value)
})

test.each(['plan', 'PLAN_2', '_', '0', 'x'.repeat(50), '__proto__'])('%s is a key', async (key) => {
  const app = await startApp()
  const acme = await app.as('acme')

  const { body } = await acme.post('/contact-properties', { key, type: 'string' })

  expect((await acme.get(`/contact-properties/${body.id}`)).body.key).toBe(key)
})

test.each(['', 'my plan', 'plan-2', 'größe', 'x'.repeat(51), 'plan\n'])('%j is no key', async (key) => {
  const app = await startApp()
  const acme = await app.as('acme')

  const reply = await acme.post('/contact-properties', { key, type: 'string' })

  expect(reply.body).toMatchObject({ statusCode: 422, name: 'validation_error' })
  expect(reply.body.message).toContain('letters, digits and underscores')
})

test('a key is taken once in a team, also by ten requests at once', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]

  const replies = await Promise.all(
    Array.from({ length: 10 }, () => acme.post('/contact-properties', { key: 'plan', type: 'string' })),
  )

  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(replies.find(({ status }) => status !== 201)!.body).toEqual({
    statusCode: 422,
    message: 'A contact property with the key `plan` already exists.',
    name: 'validation_error',
  })
  expect((await globex.post('/contact-properties', { key: 'plan', type: 'number' })).status).toBe(201)
})
