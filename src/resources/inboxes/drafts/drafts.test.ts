import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { receivingDomain } from '../../../../test/harness/arriving.ts'

async function startInbox() {
  const app = await startApp()
  const acme = await app.as('acme')
  const { domain } = await receivingDomain(acme)
  const address = `desk@${domain}`
  const { body } = await acme.post('/inboxes', { email_address: address, from_name: 'Acme Desk' })
  return { app, acme, domain, address, path: `/inboxes/${body.id}`, inbox: body.id as string }
}

const FILE = { filename: 'notes.txt', content: Buffer.from('hello').toString('base64'), content_type: 'text/plain' }

test('a draft is written, shown, changed and deleted', async () => {
  const { acme, path, address, inbox } = await startInbox()

  const created = await acme.post(`${path}/drafts`, {
    to: 'Ada <ada@example.com>',
    subject: 'Hello',
    html: '<p>Dear <b>Ada</b></p>',
    attachments: [FILE],
  })
  expect(created).toMatchObject({ status: 201, body: { object: 'inbox_draft', version: 1 } })
  const draft = `${path}/drafts/${created.body.id}`
  expect((await acme.get(`/inboxes/${encodeURIComponent(address)}/drafts/${created.body.id}`)).body).toMatchObject({
    object: 'inbox_draft',
    type: 'standalone',
    to: ['Ada <ada@example.com>'],
    cc: [],
    bcc: [],
    subject: 'Hello',
    html: '<p>Dear <b>Ada</b></p>',
    text: null,
    email_id: null,
    source: 'api',
    attachments: [{ filename: 'notes.txt', content_type: 'text/plain', size: 5 }],
  })

  const changed = await acme.patch(draft, {
    to: ['ada@example.com', 'bob@example.com'],
    subject: null,
    text: 'Hi  you',
  })
  expect(changed).toMatchObject({ status: 200, body: { version: 2 } })
  const { body: list } = await acme.get(`${path}/drafts`)
  expect(list.data).toMatchObject([
    { id: created.body.id, to: ['ada@example.com', 'bob@example.com'], subject: null, snippet: 'Hi you' },
  ])
  expect((await acme.get(path)).body.drafts).toBe(1)

  expect((await acme.delete(draft)).body).toEqual({ object: 'inbox_draft', id: created.body.id, deleted: true })
  expect((await acme.get(draft)).status).toBe(404)
  expect((await acme.get(path)).body.drafts).toBe(0)
  const events = (await acme.events()).filter(({ type }) => String(type).startsWith('inbox.draft'))
  expect(events).toMatchObject([
    { type: 'inbox.draft.created', data: { source: 'api', inbox_id: inbox, draft: { subject: 'Hello' } } },
    { type: 'inbox.draft.updated', data: { draft: { version: 2 } } },
    { type: 'inbox.draft.deleted', data: { draft_id: created.body.id } },
  ])
  expect(JSON.stringify(events)).not.toContain('Dear')
})

test('a draft is sent once, with its files', async () => {
  const { app, acme, path, address } = await startInbox()
  const { body } = await acme.post(`${path}/drafts`, {
    to: 'ada@example.com',
    cc: ['Bob <bob@example.com>'],
    subject: 'Hello',
    html: '<p>Dear Ada</p>',
    attachments: [FILE],
  })

  const replies = await Promise.all([1, 2, 3].map(() => acme.post(`${path}/drafts/${body.id}/send`, {})))
  const sent = replies.filter(({ status }) => status === 200)
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect(sent[0]!.body).toMatchObject({ object: 'inbox_draft', id: body.id })
  const { email_id } = sent[0]!.body
  expect((await acme.get('/emails')).body.data).toHaveLength(1)
  expect((await acme.get(`/emails/${email_id}`)).body).toMatchObject({
    from: `Acme Desk <${address}>`,
    to: ['ada@example.com'],
    cc: ['Bob <bob@example.com>'],
  })
  const { body: files } = await acme.get(`/emails/${email_id}/attachments`)
  expect(files.data).toMatchObject([{ filename: 'notes.txt', size: 5 }])
  expect((await acme.get(`${path}/drafts/${body.id}`)).body).toMatchObject({
    email_id,
    attachments: [{ filename: 'notes.txt' }],
  })
  expect((await acme.get(`${path}/drafts`)).body.data).toEqual([])
  expect((await acme.get(path)).body.drafts).toBe(0)
  await app.deliverDue()
  expect((await acme.get(`/emails/${email_id}`)).body.last_event).toBe('delivered')
})
