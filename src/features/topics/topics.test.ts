import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'

test('a topic is created, shown, changed and deleted', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const created = await acme.post('/topics', { name: 'News', description: 'Monthly', default_subscription: 'opt_out' })
  expect(created.status).toBe(201)
  expect(created.body).toEqual({ object: 'topic', id: expect.any(String) })

  const path = `/topics/${created.body.id}`
  expect((await acme.get(path)).body).toMatchObject({
    object: 'topic',
    name: 'News',
    description: 'Monthly',
    default_subscription: 'opt_out',
    visibility: 'private',
  })

  expect((await acme.patch(path, { id: created.body.id, name: 'Letters', description: null })).status).toBe(200)
  const { body: changed } = await acme.get(path)
  expect(changed).toMatchObject({ name: 'Letters' })
  // Clients know a topic without a description as one without the field.
  expect([changed, ...(await acme.get('/topics')).body.data].some((one) => 'description' in one)).toBe(false)

  expect((await acme.delete(path)).body).toEqual({ object: 'topic', id: created.body.id, deleted: true })
  expect((await acme.get(path)).status).toBe(404)
})

test('every change of a topic is an event in the outbox', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: topic } = await acme.post('/topics', { name: 'News' })

  await acme.patch(`/topics/${topic.id}`, { visibility: 'public' })
  await acme.delete(`/topics/${topic.id}`)

  const events = await acme.events()
  expect(events.map(({ type }) => type)).toEqual(['topic.created', 'topic.updated', 'topic.deleted'])
  expect(events[0]!.data).toEqual({
    id: topic.id,
    name: 'News',
    description: null,
    default_subscription: 'opt_in',
    deleted: false,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: expect.stringMatching(/Z$/),
  })
  expect(events[2]!.data.deleted).toBe(true)
})
