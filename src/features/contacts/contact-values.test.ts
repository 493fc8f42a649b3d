import { expect, test } from 'vitest'
import { type Client, startApp } from '../../../test/harness/app.ts'

// The values that a contact has for the team's own properties.

async function withProperties(client: Client) {
  const { body: plan } = await client.post('/contact-properties', { key: 'plan', type: 'string' })
  const { body: age } = await client.post('/contact-properties', { key: 'age', type: 'number' })
  return { plan, age }
}

const propertiesOf = async (client: Client) => (await client.get('/contacts/ada@example.com')).body.properties

test('values are shown with their type', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await withProperties(acme)

  await acme.post('/contacts', { email: 'ada@example.com', properties: { plan: '', age: -0.5 } })

  expect(await propertiesOf(acme)).toEqual({
    plan: { type: 'string', value: '' },
    age: { type: 'number', value: -0.5 },
  })
})

test('an update changes the values it names, and null removes one', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await withProperties(acme)
  await acme.post('/contacts', { email: 'ada@example.com', properties: { plan: 'free', age: 36 } })

  await acme.patch('/contacts/ada@example.com', { properties: { plan: 'paid' } })
  expect(await propertiesOf(acme)).toMatchObject({ plan: { value: 'paid' }, age: { value: 36 } })

  await acme.patch('/contacts/ada@example.com', { properties: { plan: null, age: 37 } })
  expect(await propertiesOf(acme)).toEqual({ age: { type: 'number', value: 37 } })
})

test.each([
  ['of the wrong type', { plan: 5 }, 'Invalid `properties.plan` field. It must be a string.'],
  ['of the wrong type', { age: '36' }, 'Invalid `properties.age` field. It must be a number.'],
  [
    'of no type',
    { plan: true },
    'Invalid `properties.plan` field. It must be a string of at most 10000 characters or a number or `null`.',
  ],
  ['of an unknown key', { size: 5 }, 'Invalid `properties` field. There is no contact property with the key `size`.'],
  ['of another case', { Plan: 'x' }, 'Invalid `properties` field. There is no contact property with the key `Plan`.'],
])('a value %s is refused: %j', async (_why, properties, message) => {
  const app = await startApp()
  const acme = await app.as('acme')
  await withProperties(acme)
  await acme.post('/contacts', { email: 'ada@example.com', properties: { plan: 'free' } })

  const created = await acme.post('/contacts', { email: 'bob@example.com', properties })
  const updated = await acme.patch('/contacts/ada@example.com', { first_name: 'Ada', properties })

  expect(created.body).toEqual({ statusCode: 422, message, name: 'validation_error' })
  expect(updated.body).toEqual(created.body)
  expect((await acme.get('/contacts')).body.data).toMatchObject([{ email: 'ada@example.com', first_name: null }])
  expect(await propertiesOf(acme)).toEqual({ plan: { type: 'string', value: 'free' } })
})

test('a number that no computer can hold is refused', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await withProperties(acme)
  const payload = '{"email":"ada@example.com","properties":{"age":1e400}}'

  const reply = await acme.send({
    method: 'POST',
    url: '/contacts',
    payload,
    headers: { 'content-type': 'application/json' },
  })

  expect(reply.body).toMatchObject({ statusCode: 422, name: 'validation_error' })
})

test('numbers come back as they were given', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await withProperties(acme)
  const numbers = [0, 1e-7, 0.1, 123456789.123456, Number.MAX_SAFE_INTEGER, 1e21, 1.7976931348623157e308, 5e-324]

  for (const age of numbers) {
    await acme.post('/contacts', { email: 'ada@example.com', properties: { age } })

    expect((await propertiesOf(acme)).age.value).toBe(age)
  }
})

test('a property that is deleted takes its values along, also when one of the same key follows', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { plan } = await withProperties(acme)
  await acme.post('/contacts', { email: 'ada@example.com', properties: { plan: 'free', age: 36 } })

  await acme.delete(`/contact-properties/${plan.id}`)
  expect(Object.keys(await propertiesOf(acme))).toEqual(['age'])

  await acme.post('/contact-properties', { key: 'plan', type: 'number' })
  expect(Object.keys(await propertiesOf(acme))).toEqual(['age'])

  await acme.patch('/contacts/ada@example.com', { properties: { plan: 2 } })
  expect((await propertiesOf(acme)).plan).toEqual({ type: 'number', value: 2 })
})

test('a property may be called like something of the language', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  for (const key of ['__proto__', 'constructor', 'toString'])
    await acme.post('/contact-properties', { key, type: 'string' })
  const properties = '{"__proto__":"a","constructor":"b","toString":"c"}'
  const payload = `{"email":"ada@example.com","properties":${properties}}`

  await acme.send({ method: 'POST', url: '/contacts', payload, headers: { 'content-type': 'application/json' } })

  const { text } = await acme.get('/contacts/ada@example.com')
  for (const [key, value] of Object.entries(JSON.parse(properties)))
    expect(text).toMatch(new RegExp(`"${key}":\\s*\\{"type":\\s*"string",\\s*"value":\\s*"${value}"`))
})
