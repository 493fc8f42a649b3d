import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { receivingTeam } from '../../../test/harness/arriving.ts'

test('an inbox is created, shown, changed and deleted, by its id or its address', async () => {
  const app = await startApp()
  const { client: acme, domain } = await receivingTeam(app, 'acme')

  const created = await acme.post('/inboxes', { email_address: `Support@${domain}`, from_name: 'Acme, Inc.' })
  expect(created.status).toBe(201)
  expect(created.body).toEqual({ object: 'inbox', id: expect.any(String) })

  const { id } = created.body
  const { body: inbox } = await acme.get(`/inboxes/${encodeURIComponent(`support@${domain}`)}`)
  expect(inbox).toMatchObject({
    object: 'inbox',
    id,
    name: 'support',
    email_address: `support@${domain}`,
    receiving_address: null,
    from_name: 'Acme, Inc.',
    unread: 0,
    drafts: 0,
    last_received: null,
  })

  await acme.patch(`/inboxes/${id}`, { name: 'Help desk', from_name: null })
  expect((await acme.get(`/inboxes/${id}`)).body).toMatchObject({ name: 'Help desk', from_name: null })
  expect((await acme.get('/inboxes')).body.data).toMatchObject([{ id, name: 'Help desk' }])

  const removed = await acme.delete(`/inboxes/${encodeURIComponent(`SUPPORT@${domain}`)}`)
  expect(removed.body).toEqual({ object: 'inbox', id, deleted: true })
  expect((await acme.get(`/inboxes/${id}`)).status).toBe(404)
})
