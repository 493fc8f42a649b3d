import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'

// What the outbox says about contacts: contract 3.3.

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('a contact that is made, changed and deleted is three facts', async () => {
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
  expect(events[1]!.data).toMatchObject({ last_name: 'Lovelace', audience_id: null, segment_ids: [] })
})

test('joining and leaving a segment updates the contact, once', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: contact } = await acme.post('/contacts', { email: 'ada@example.com' })
  const { body: segment } = await acme.post('/segments', { name: 'Early' })
  const path = `/contacts/${contact.id}/segments/${segment.id}`

  await acme.post(path)
  await acme.delete(path)
  await acme.delete(path)

  const [, joined, left, ...more] = await acme.events()
  expect(joined).toMatchObject({ type: 'contact.updated', data: { segment_ids: [segment.id] } })
  expect(left).toMatchObject({ type: 'contact.updated', data: { segment_ids: [] } })
  expect(more).toEqual([])
})

test('choosing topics is a fact of its own', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/contacts', { email: 'ada@example.com' })
  const { body: topic } = await acme.post('/topics', { name: 'News' })

  await acme.patch('/contacts/ADA@example.com/topics', [{ id: topic.id, subscription: 'opt_out' }])

  expect((await acme.events()).at(-1)).toEqual({
    type: 'contact.topics.updated',
    data: { email: 'ada@example.com', topics: [{ id: topic.id, subscription: 'opt_out' }] },
  })
})

test('what is refused is no fact, and what happens in one team is none in another', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await globex.post('/contacts', { email: 'ada@example.com' })

  await acme.post('/contacts', { email: 'no address' })
  await acme.patch('/contacts/ada@example.com', { first_name: 'Ada' })
  await acme.delete('/contacts/ada@example.com')

  expect(await acme.events()).toEqual([])
  expect(await globex.events()).toHaveLength(1)
})
