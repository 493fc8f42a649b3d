import { expect, test } from 'vitest'
import { type Client, startApp } from '../../../test/harness/app.ts'

const activityOf = async (client: Client, contact: string, query = '') =>
  (await client.get(`/contacts/${contact}/activity${query}`)).body

const send = async (client: Client, to: string, subject: string): Promise<string> =>
  (await client.post('/emails', { from: 'news@acme.example', to, subject, text: 'Hello' })).body.id

test('what happened to a contact is one list, newest first', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { id } = (await acme.post('/contacts', { email: 'Ada@example.com' })).body
  const first = await send(acme, 'ada@example.com', 'First')
  await send(acme, 'grace@example.com', 'Not hers')
  const suppression = (await acme.post('/suppressions', { email: 'ada@EXAMPLE.com' })).body.id
  const second = await send(acme, 'ada@example.com', 'Second')

  const { data, has_more } = await activityOf(acme, id)

  expect(has_more).toBe(false)
  expect(data.map((item: { type: string; id: string }) => [item.type, item.id])).toEqual([
    ['email', second],
    ['suppression', suppression],
    ['email', first],
  ])
  expect(data[1]).toMatchObject({ title: null, status: 'manual', broadcast_id: null })
  expect(data[2]).toMatchObject({ title: 'First', broadcast_id: null, created_at: expect.any(String) })
  expect((await activityOf(acme, 'ada@example.com')).data).toEqual(data)
})

test('pages of it join without a gap, in both directions', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { id } = (await acme.post('/contacts', { email: 'ada@example.com' })).body
  for (const number of [1, 2, 3, 4, 5]) await send(acme, 'ada@example.com', `Number ${number}`)
  const all = (await activityOf(acme, id)).data

  const page = await activityOf(acme, id, '?limit=2')
  const next = await activityOf(acme, id, `?limit=2&after=${page.data[1].id}`)
  const last = await activityOf(acme, id, `?limit=2&after=${next.data[1].id}`)
  const back = await activityOf(acme, id, `?limit=2&before=${last.data[0].id}`)

  expect([page, next, last].map(({ has_more }) => has_more)).toEqual([true, true, false])
  expect([...page.data, ...next.data, ...last.data]).toEqual(all)
  expect(back.data).toEqual(next.data)
})

test('a contact of another team has none', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const other = await app.as('other')
  const { id } = (await acme.post('/contacts', { email: 'ada@example.com' })).body
  await other.post('/contacts', { email: 'ada@example.com' })
  await send(acme, 'ada@example.com', 'Ours')

  expect((await other.get(`/contacts/${id}/activity`)).status).toBe(404)
  expect((await activityOf(other, 'ada@example.com')).data).toEqual([])
})
