import { describe, expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'

const SCHEMA = { plan: 'string', seats: 'number', trial: 'boolean', since: 'date' }

async function start() {
  const app = await startApp()
  const acme = await app.as('acme')
  const sent = async () => (await acme.events()).filter(({ type }) => type === 'event.sent').map(({ data }) => data)
  return { app, acme, sent }
}

describe('the definition of an event', () => {
  test('is created, shown, changed and deleted, by id and by name', async () => {
    const { acme } = await start()

    const created = await acme.post('/events', { name: 'user.created', schema: SCHEMA })
    expect([created.status, created.body]).toEqual([201, { object: 'event', id: expect.any(String) }])
    const { id } = created.body

    const shown = await acme.get('/events/user.created')
    expect(shown.body).toEqual({
      object: 'event',
      id,
      name: 'user.created',
      schema: SCHEMA,
      created_at: expect.any(String),
      updated_at: null,
    })
    expect((await acme.get(`/events/${id}`)).body).toEqual(shown.body)
    expect((await acme.patch('/events/user.created', { schema: { plan: 'number' } })).body).toEqual(created.body)
    expect((await acme.patch(`/events/${id}`, { schema: null })).body).toEqual(created.body)
    const { body: list } = await acme.get('/events')
    expect(list.data).toEqual([
      { id, name: 'user.created', schema: null, created_at: shown.body.created_at, updated_at: expect.any(String) },
    ])

    expect((await acme.delete('/events/user.created')).body).toEqual({ object: 'event', id, deleted: true })
    expect((await acme.get(`/events/${id}`)).body.message).toBe('Event not found')
  })

  test.each([
    'order.paid',
    'shop/order:paid',
    'ünïcode event',
    '100%',
    'a?b#c',
    '../events',
    'constructor',
    '__proto__',
  ])('may be named %s', async (name) => {
    const { acme } = await start()
    const { id } = (await acme.post('/events', { name })).body
    const path = `/events/${encodeURIComponent(name)}`

    expect((await acme.get(path)).body).toMatchObject({ id, name, schema: null })
    expect((await acme.patch(path, { schema: { a: 'date' } })).body.id).toBe(id)
    expect((await acme.delete(path)).body).toEqual({ object: 'event', id, deleted: true })
  })

  test('is found by its id before one that is named like it', async () => {
    const { acme } = await start()
    const { id } = (await acme.post('/events', { name: 'first' })).body
    const { id: other } = (await acme.post('/events', { name: id })).body

    expect((await acme.get(`/events/${id}`)).body.name).toBe('first')
    await acme.delete(`/events/${id}`)
    expect((await acme.get(`/events/${id}`)).body).toMatchObject({ id: other, name: id })
  })

  test('has a name of its own in its team', async () => {
    const { app, acme } = await start()
    await acme.post('/events', { name: 'user.created' })

    const second = await acme.post('/events', { name: 'user.created' })

    expect(second.body).toMatchObject({ statusCode: 422, name: 'validation_error' })
    expect(second.body.message).toBe('Invalid `name` field. Another event has the name `user.created`.')
    expect((await (await app.as('globex')).post('/events', { name: 'user.created' })).status).toBe(201)
  })

  test.each([
    ['name', { name: 'resend:email.opened' }],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(256) }],
    ['schema', { name: 'a', schema: { plan: 'enum' } }],
    ['schema', { name: 'a', schema: { plan: { nested: 'string' } } }],
    ['schema', { name: 'a', schema: { '': 'string' } }],
    ['schema', { name: 'a', schema: { 'two\nlines': { x: 1 } } }],
    ['schema', { name: 'a', schema: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, 'string'])) }],
  ])('is refused for its %s: %j', async (field, body) => {
    const { acme } = await start()

    const { status, body: problem } = await acme.post('/events', body)

    expect([status, problem.message]).toEqual([422, expect.stringContaining(`\`${field}\``)])
  })
})

describe('an event that is sent', () => {
  test('is in the outbox when it is answered, with the payload as its schema wants it', async () => {
    const { acme, sent } = await start()
    const { id: contact } = (await acme.post('/contacts', { email: 'ada@example.com' })).body
    await acme.post('/events', { name: 'user.created', schema: SCHEMA })

    const byId = await acme.post('/events/send', {
      event: 'user.created',
      contact_id: contact,
      payload: { plan: 7, seats: '12', trial: 'true', since: 0, more: ['kept'] },
    })
    const byEmail = await acme.post('/events/send', { event: 'never defined', email: 'new@example.com' })

    expect([byId.status, byId.body]).toEqual([202, { object: 'event', event: 'user.created' }])
    expect([byEmail.status, byEmail.body]).toEqual([202, { object: 'event', event: 'never defined' }])
    const payload = { plan: '7', seats: 12, trial: true, since: '1970-01-01T00:00:00.000Z', more: ['kept'] }
    expect(await sent()).toEqual([
      { event: 'user.created', contact_id: contact, payload },
      { event: 'never defined', email: 'new@example.com', payload: {} },
    ])
    expect((await acme.get('/contacts')).body.data).toHaveLength(1)
  })

  test('is refused with the reason, and then nothing has happened', async () => {
    const { app, acme, sent } = await start()
    const { id: contact } = (await acme.post('/contacts', { email: 'ada@example.com' })).body
    const { id: foreign } = (await (await app.as('globex')).post('/contacts', { email: 'ada@example.com' })).body
    await acme.post('/events', { name: 'user.created', schema: SCHEMA })
    const about = { event: 'user.created', email: 'ada@example.com' }
    const refused = async (body: object) => {
      const { status, body: problem } = await acme.post('/events/send', body)
      return `${status} ${problem.message}`
    }

    expect(await refused({ event: 'user.created' })).toBe('422 Missing `contact_id` or `email` field.')
    expect(await refused({ ...about, contact_id: contact })).toMatch(/^422 Use either the `contact_id` or the `email`/)
    expect(await refused({ event: 'user.created', contact_id: foreign })).toBe('404 Contact not found')
    expect(await refused({ ...about, event: 'resend:email.opened' })).toMatch(/^422 Invalid `event` field/)
    expect(await refused({ ...about, event: '' })).toMatch(/^422 Invalid `event` field/)
    expect(await refused({ ...about, email: 'nobody' })).toMatch(/^422 Invalid `email` field/)
    expect(await refused({ ...about, payload: [1] })).toMatch(/^422 Invalid `payload` field/)
    expect(await refused({ ...about, payload: { seats: 'many' } })).toBe(
      '422 Invalid `payload.seats` field. It must be a number.',
    )
    expect(await refused({ ...about, payload: { text: 'x'.repeat(70_000) } })).toMatch(/^422 Invalid `payload` field/)
    expect(await refused({ ...about, payload: { text: 'x'.repeat(1_000_000) } })).toMatch(
      /^422 Invalid `payload` field/,
    )
    expect(await sent()).toEqual([])
  })

  test('with a key happens once', async () => {
    const { acme, sent } = await start()
    const event = { event: 'paid', email: 'ada@example.com', payload: { n: 1 } }
    const key = { 'idempotency-key': 'order 1' }

    const bad = await acme.post('/events/send', { ...event, contact_id: acme.team }, key)
    const first = await acme.post('/events/send', event, key)
    const again = await acme.post('/events/send', event, key)
    const unlike = await acme.post('/events/send', { ...event, payload: { n: 2 } }, key)
    const other = await acme.post('/events/send', event, { 'idempotency-key': 'order 2' })

    expect([bad.status, first.status, again.status, other.status]).toEqual([422, 202, 202, 202])
    expect(again.text).toBe(first.text)
    expect(unlike.body).toMatchObject({ statusCode: 409, name: 'invalid_idempotent_request' })
    expect((await acme.post('/events/send', event, { 'idempotency-key': '' })).body.name).toBe(
      'invalid_idempotency_key',
    )
    expect(await sent()).toHaveLength(2)
  })

  test('with a key happens once, also at two processes', async () => {
    const { acme, sent } = await start()
    const other = await startApp()
    const event = { event: 'paid', email: 'ada@example.com' }
    const request = (key: string) =>
      ({ method: 'POST', url: '/events/send', payload: event, headers: { 'idempotency-key': key } }) as const
    const keys = Array.from({ length: 20 }, (_, n) => `key ${n}`)

    const replies = await Promise.all([
      ...keys.map((key) => acme.send(request(key))),
      ...keys.toReversed().map((key) => other.send(request(key), acme.token)),
    ])

    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 202))
    expect(await sent()).toHaveLength(keys.length)
  })
})
