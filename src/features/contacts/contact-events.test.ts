import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'

// What the outbox says about contacts: contract 3.3.

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('a contact that is made, changed and deleted is three events', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: segment } = await acme.post('/segments', { name: 'Early' })
  const { body: contact } = await acme.post('/contacts', { email: 'ada@example.com', segments: [segment.id] })

  await acme.patch(`/contacts/${contact.id}`, { first_name: 'Ada "\\" \u2028 🐦', unsubscribed: true })
  await acme.delete(`/contacts/${contact.id}`)

  const created = {
    id: contact.id,
    audience_id: segment.id,
    segment_ids: [segment.id],
    created_at: ISO,
    updated_at: ISO,
    email: 'ada@example.com',
    first_name: null,
    last_name: null,
    unsubscribed: false,
  }
  const changed = { ...created, first_name: 'Ada "\\" \u2028 🐦', unsubscribed: true }
  expect(await acme.events()).toEqual([
    { type: 'contact.created', data: created },
    { type: 'contact.updated', data: changed },
    { type: 'contact.deleted', data: changed },
  ])
})

test('an address that is added again is an update', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/contacts', { email: 'ada@example.com' })

  await acme.post('/contacts', { email: 'ada@example.com', last_name: 'Lovelace' })

  const events = await acme.events()
  expect(events.map(({ type }) => type)).toEqual(['contact.created', 'contact.updated'])
  expect(events[1]!.data).toMatchObject({ last_name: 'Lovelace', audience_id: '', segment_ids: [] })
})

test('joining and leaving a segment updates the contact, once', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: contact } = await acme.post('/contacts', { email: 'ada@example.com' })
  const { body: segment } = await acme.post('/segments', { name: 'Early' })
  const path = `/contacts/${contact.id}/segments/${segment.id}`

  await acme.post(path)
  await acme.post(path)
  await acme.delete(path)
  await acme.delete(path)

  const [, joined, left, ...more] = await acme.events()
  expect(joined).toMatchObject({ type: 'contact.updated', data: { segment_ids: [segment.id] } })
  expect(left).toMatchObject({ type: 'contact.updated', data: { segment_ids: [] } })
  expect(more).toEqual([])
})

test('what is as it was before is no event', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: segment } = await acme.post('/segments', { name: 'Early' })
  const { body: topic } = await acme.post('/topics', { name: 'News' })
  await acme.post('/contact-properties', { key: 'plan', type: 'string' })
  const topics = [{ id: topic.id, subscription: 'opt_in' }]
  const ada = { email: 'ada@example.com', first_name: 'Ada', unsubscribed: false, properties: { plan: 'pro' } }
  const { body: contact } = await acme.post('/contacts', { ...ada, segments: [segment.id], topics })
  const before = await acme.events()
  const { updated_at } = before.at(-1)!.data as { updated_at: string }
  app.clock.advance(1)

  const again = await acme.post('/contacts', { ...ada, email: 'ADA@example.com', segments: [segment.id], topics })
  await acme.patch(`/contacts/${contact.id}`, { first_name: 'Ada', properties: { plan: 'pro' } })
  await acme.patch(`/contacts/${contact.id}`, { properties: { plan: null } })
  await acme.patch(`/contacts/${contact.id}`, {})
  await acme.patch(`/contacts/${contact.id}/topics`, topics)
  await acme.patch(`/topics/${topic.id}`, { name: 'News', description: null })
  await acme.patch(`/contacts/${contact.id}`, { properties: { plan: 'pro' } })

  expect(again.body.id).toBe(contact.id)
  const more = (await acme.events()).slice(before.length)
  expect(more.map(({ type }) => type)).toEqual(['contact.updated', 'contact.updated']) // the plan left, and came back
  expect((more[0]!.data as { updated_at: string }).updated_at).not.toBe(updated_at)
})

test('topics that a known contact chooses when it is added again are told as such', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: topic } = await acme.post('/topics', { name: 'News' })
  await acme.post('/contacts', { email: 'ada@example.com' })
  const topics = [{ id: topic.id, subscription: 'opt_out' }]

  await acme.post('/contacts', { email: 'ada@example.com', topics: [{ ...topics[0], name: 'Of the client' }] })

  expect((await acme.events()).at(-1)).toEqual({
    type: 'contact.topics.updated',
    data: { email: 'ada@example.com', topics },
  })
})

test('choosing topics is an event of its own', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/contacts', { email: 'ada@example.com' })
  const { body: topic } = await acme.post('/topics', { name: 'News' })

  const choice = { id: topic.id, subscription: 'opt_out' }
  const { body } = await acme.patch('/contacts/ADA@example.com/topics', [{ ...choice, name: 'Of the client' }])

  expect(body.topics).toEqual([choice])
  expect((await acme.events()).at(-1)).toEqual({
    type: 'contact.topics.updated',
    data: { email: 'ada@example.com', topics: [choice] },
  })
})

test('what is refused is no event, and what happens in one team is none in another', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await globex.post('/contacts', { email: 'ada@example.com' })

  await acme.post('/contacts', { email: 'no address' })
  await acme.patch('/contacts/ada@example.com', { first_name: 'Ada' })
  await acme.delete('/contacts/ada@example.com')

  expect(await acme.events()).toEqual([])
  expect(await globex.events()).toHaveLength(1)
})
