import { expect, test } from 'vitest'
import { type App, startApp } from '../../test/harness/app.ts'
import { inboxOf, messagesIn, partition, receive, threadsIn } from '../../test/harness/filed-mail.ts'

test('mail for an inbox becomes a thread, and an answer to it goes there, too', async () => {
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')

  const [first, second] = await receive(
    app,
    address,
    { subject: 'Invoice', id: '<one@example.net>', body: 'Where is it?\r\n' },
    { subject: 'Something else', id: '<two@example.net>', inReplyTo: '<one@example.net>' },
  )

  expect(await messagesIn(app, client, id)).toMatchObject([
    { id: first, direction: 'inbound', subject: 'Invoice', snippet: 'Where is it?' },
    { id: second, direction: 'inbound', subject: 'Something else' },
  ])
  const [thread, ...others] = await threadsIn(app, client, id)
  expect(others).toEqual([])
  expect(thread).toMatchObject({
    ...{ subject: 'Invoice', folder: 'inbox', traffic: 'inbound', emails: 2, unread: 2 },
    ...{ newest_id: second, shown_id: second },
  })
  expect((await client.get(`/inboxes/${id}`)).body).toMatchObject({ unread: 1, last_received: expect.any(String) })
  const events = (await client.events()).filter(({ type }) => type.startsWith('inbox.'))
  expect(events.map(({ type }) => type)).toEqual([
    'inbox.created',
    'inbox.thread.created',
    'inbox.email.received',
    'inbox.email.received',
  ])
  expect(events[2]!.data).toMatchObject({
    source: 'system',
    inbox_id: id,
    thread_id: thread!.id,
    thread: { object: 'inbox_thread', id: thread!.id, subject: 'Invoice', folder: 'inbox', read: false },
    email_id: first,
    email: { id: first, direction: 'inbound', from: 'Ada <ada@example.net>', message_id: '<one@example.net>' },
  })
})
