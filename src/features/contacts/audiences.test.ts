import { expect, test } from 'vitest'
import { type Client, startApp } from '../../../test/harness/app.ts'
import { newId } from '../../../test/harness/ids.ts'

// The older API: contacts in an audience, which is a segment by another name.

async function withAudience(client: Client) {
  const { body: audience } = await client.post('/audiences', { name: 'Registered' })
  return { audience: audience.id as string, contacts: `/audiences/${audience.id}/contacts` }
}

test('an audience is a segment by another name', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const created = await acme.post('/audiences', { name: 'Registered' })
  const { id } = created.body

  expect(created.body).toEqual({ object: 'audience', id, name: 'Registered' })
  expect((await acme.get(`/audiences/${id}`)).body).toMatchObject({ object: 'audience', id, name: 'Registered' })
  expect((await acme.get(`/segments/${id}`)).body).toMatchObject({ object: 'segment', id, name: 'Registered' })
  expect((await acme.get('/audiences')).body).toEqual((await acme.get('/segments')).body)
  expect((await acme.delete(`/audiences/${id}`)).body).toEqual({ object: 'audience', id, deleted: true })
  expect((await acme.get(`/audiences/${id}`)).body.message).toBe('Audience not found')
  expect((await acme.get(`/segments/${id}`)).body.message).toBe('Segment not found')
})

test('a contact is created, shown, changed and deleted in its audience', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { audience, contacts } = await withAudience(acme)

  const created = await acme.post(contacts, { email: 'ada+news@example.com', first_name: 'Ada' })
  const { id } = created.body
  expect(created.body).toEqual({ object: 'contact', id })
  expect((await acme.get(contacts)).body.data).toMatchObject([{ id, email: 'ada+news@example.com' }])
  expect((await acme.get(`/segments/${audience}/contacts`)).body.data).toMatchObject([{ id }])

  for (const name of [id, 'ada+news@example.com', 'ada%2Bnews%40example.com']) {
    expect((await acme.get(`${contacts}/${name}`)).body).toMatchObject({ object: 'contact', id, first_name: 'Ada' })
    expect((await acme.patch(`${contacts}/${name}`, { last_name: name })).body).toEqual({ object: 'contact', id })
    expect((await acme.get(`/contacts/${id}`)).body.last_name).toBe(name)
  }

  const deleted = await acme.delete(`${contacts}/ada+news@example.com`)
  expect(deleted.body).toMatchObject({ object: 'contact', contact: 'ada+news@example.com', deleted: true })
  expect((await acme.get(`/contacts/${id}`)).status).toBe(404)
})

test('deleting a contact that is not there says what it always said', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { contacts } = await withAudience(acme)

  for (const name of [newId(), 'nobody@example.com'])
    expect((await acme.delete(`${contacts}/${name}`)).body).toMatchObject({ contact: name, deleted: true })

  expect(await acme.events()).toEqual([])
})

test('a contact outside the audience is not in it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { contacts } = await withAudience(acme)
  const { body: outside } = await acme.post('/contacts', { email: 'bob@example.com' })

  expect((await acme.get(`${contacts}/${outside.id}`)).body.message).toBe('Contact not found')
  expect((await acme.patch(`${contacts}/${outside.id}`, { first_name: 'Bob' })).status).toBe(404)
  await acme.delete(`${contacts}/${outside.id}`)

  expect((await acme.get(`/contacts/${outside.id}`)).body.first_name).toBeNull()
})

test('a contact that exists joins the audience and keeps its id', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { audience, contacts } = await withAudience(acme)
  const { body: segment } = await acme.post('/segments', { name: 'Early' })
  const { body: known } = await acme.post('/contacts', { email: 'ada@example.com', segments: [segment.id] })

  const joined = await acme.post(contacts, { email: 'ADA@example.com' })

  expect(joined.body).toEqual(known)
  const { body } = await acme.get(`/contacts/${known.id}/segments`)
  expect(body.data.map(({ id }: { id: string }) => id).sort()).toEqual([audience, segment.id].sort())
})

test('there is nothing in an audience that does not exist', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const contacts = `/audiences/${newId()}/contacts`

  expect((await acme.post(contacts, { email: 'ada@example.com' })).body.message).toBe('Audience not found')
  expect((await acme.get(contacts)).body.message).toBe('Audience not found')
  expect((await acme.get('/contacts')).body.data).toEqual([])
})
