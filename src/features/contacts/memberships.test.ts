import { expect, test } from 'vitest'
import { type Client, startApp } from '../../../test/harness/app.ts'
import { newId } from '../../../test/harness/ids.ts'

const make = async (client: Client, path: string, body: object): Promise<string> =>
  (await client.post(path, body)).body.id

test('a contact joins a segment and leaves it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const contact = await make(acme, '/contacts', { email: 'ada+news@example.com' })
  const segment = await make(acme, '/segments', { name: 'Early' })
  const membership = {
    object: 'contact_segment',
    id: segment,
    contact_id: contact,
    segment_id: segment,
    audienceId: segment,
  }

  const path = `/contacts/ada+news@example.com/segments/${segment}`
  expect((await acme.post(path)).body).toEqual(membership)
  expect((await acme.post(path)).body).toEqual(membership)
  expect((await acme.get(`/contacts/${contact}/segments`)).body.data).toEqual([
    { id: segment, name: 'Early', created_at: expect.any(String) },
  ])
  expect((await acme.get(`/segments/${segment}/contacts`)).body.data).toMatchObject([{ id: contact }])

  expect((await acme.delete(path)).body).toEqual({ ...membership, deleted: true })
  expect((await acme.delete(path)).body).toEqual({ ...membership, deleted: false })
  expect((await acme.get(`/segments/${segment}/contacts`)).body.data).toEqual([])
})

test('a segment that is deleted leaves its contacts, and they leave it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const segment = await make(acme, '/segments', { name: 'Early' })
  const contact = await make(acme, '/contacts', { email: 'ada@example.com', segments: [segment] })

  await acme.delete(`/segments/${segment}`)

  expect((await acme.get(`/contacts/${contact}`)).status).toBe(200)
  expect((await acme.get(`/contacts/${contact}/segments`)).body.data).toEqual([])
  expect((await acme.get(`/segments/${segment}/contacts`)).body.message).toBe('Segment not found')
  expect((await acme.get(`/contacts?segment_id=${segment}`)).status).toBe(404)
})

test('neither side of a membership may be of another team', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const [ours, theirs] = [
    await make(acme, '/segments', { name: 'Ours' }),
    await make(globex, '/segments', { name: 'Theirs' }),
  ]
  const contact = await make(acme, '/contacts', { email: 'ada@example.com' })

  expect((await acme.post(`/contacts/${contact}/segments/${theirs}`)).body.message).toBe('Segment not found')
  expect((await globex.post(`/contacts/${contact}/segments/${theirs}`)).body.message).toBe('Contact not found')
  expect((await globex.delete(`/contacts/${contact}/segments/${ours}`)).body.message).toBe('Contact not found')
})

test('a topic counts for a contact by its default until the contact chooses', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const contact = await make(acme, '/contacts', { email: 'ada@example.com' })
  const news = await make(acme, '/topics', { name: 'News', description: 'Monthly', default_subscription: 'opt_in' })
  const offers = await make(acme, '/topics', { name: 'Offers', default_subscription: 'opt_out' })
  const topics = async () => (await acme.get(`/contacts/${contact}/topics`)).body.data
  const created = async (topic: string) => (await acme.get(`/topics/${topic}`)).body.created_at

  expect(await topics()).toEqual([
    { id: offers, name: 'Offers', description: null, subscription: 'opt_out', created_at: await created(offers) },
    { id: news, name: 'News', description: 'Monthly', subscription: 'opt_in', created_at: await created(news) },
  ])

  await acme.patch(`/contacts/${contact}/topics`, [{ id: offers, subscription: 'opt_in' }])
  expect(await topics()).toMatchObject([{ subscription: 'opt_in' }, { subscription: 'opt_in' }])
})

test('choices are sent as a list or in an object, by id or by address', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const contact = await make(acme, '/contacts', { email: 'ada@example.com' })
  const topic = await make(acme, '/topics', { name: 'News' })
  const choose = (subscription: string) => [{ id: topic, subscription }]

  const bare = await acme.patch(`/contacts/${contact}/topics`, choose('opt_out'))
  const wrapped = await acme.patch('/contacts/ada@example.com/topics', { topics: choose('opt_in') })

  const answer = { object: 'contact_topics', id: contact, contact_id: contact }
  expect(bare.body).toEqual({ ...answer, topics: choose('opt_out') })
  expect(wrapped.body).toEqual({ ...answer, topics: choose('opt_in') })
  expect((await acme.get(`/contacts/${contact}/topics`)).body.data).toMatchObject([{ subscription: 'opt_in' }])
})

test('a topic that is named twice: the last word counts', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const contact = await make(acme, '/contacts', { email: 'ada@example.com' })
  const id = await make(acme, '/topics', { name: 'News' })

  await acme.patch(`/contacts/${contact}/topics`, [
    { id, subscription: 'opt_in' },
    { id, subscription: 'opt_out' },
  ])

  expect((await acme.get(`/contacts/${contact}/topics`)).body.data).toMatchObject([{ id, subscription: 'opt_out' }])
})

test('one unknown topic among the choices, and none of them counts', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const contact = await make(acme, '/contacts', { email: 'ada@example.com' })
  const topic = await make(acme, '/topics', { name: 'News' })
  const theirs = await make(globex, '/topics', { name: 'Theirs' })

  for (const unknown of [newId(), theirs]) {
    const reply = await acme.patch(`/contacts/${contact}/topics`, [
      { id: topic, subscription: 'opt_out' },
      { id: unknown, subscription: 'opt_out' },
    ])

    expect(reply.body).toEqual({ statusCode: 404, message: 'Topic not found', name: 'not_found' })
  }
  expect((await acme.get(`/contacts/${contact}/topics`)).body.data).toMatchObject([{ subscription: 'opt_in' }])
})

test.each([{ topics: 'all' }, {}, [{ subscription: 'opt_in' }], [{ id: newId(), subscription: 'maybe' }], 'opt_in'])(
  'choices that are none are refused: %j',
  async (body) => {
    const app = await startApp()
    const acme = await app.as('acme')
    const contact = await make(acme, '/contacts', { email: 'ada@example.com' })
    const payload = JSON.stringify(body)

    const reply = await acme.send({
      method: 'PATCH',
      url: `/contacts/${contact}/topics`,
      payload,
      headers: { 'content-type': 'application/json' },
    })

    expect(reply.status).toBe(422)
    expect((await acme.events()).map(({ type }) => type)).toEqual(['contact.created'])
  },
)

test('segments say how many contacts they have', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const other = await app.as('other')
  const empty = await make(acme, '/segments', { name: 'Empty' })
  const early = await make(acme, '/segments', { name: 'Early' })
  for (const name of ['ada', 'grace'])
    await make(acme, '/contacts', { email: `${name}@example.com`, segments: [early] })

  expect((await acme.get('/segments/counts')).body).toEqual({
    object: 'segment_counts',
    data: [
      { segment_id: early, contacts: 2, is_exact: true },
      { segment_id: empty, contacts: 0, is_exact: true },
    ],
  })
  expect((await other.get('/segments/counts')).body.data).toEqual([])
})
