import { expect, test } from 'vitest'
import { startDesk } from '../../../../test/harness/answering.ts'
import { newId } from '../../../../test/harness/ids.ts'
import { sql } from '../../../kernel/db/sql.ts'

const FILE = { filename: 'notes.txt', content: Buffer.from('hello').toString('base64'), content_type: 'text/plain' }

test('a draft is written, shown, changed and deleted', async () => {
  const { acme, path, address, id: inbox } = await startDesk()

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

const file = (name: string, content = name) => ({
  filename: name,
  content: Buffer.from(content).toString('base64'),
  content_type: 'text/plain',
})

test('files are kept by their ids, replaced, and taken away', async () => {
  const { app, acme, path } = await startDesk()
  const { body } = await acme.post(`${path}/drafts`, { subject: 'Files', attachments: [file('a.txt'), file('b.txt')] })
  const draft = `${path}/drafts/${body.id}`
  const filesOf = async () => (await acme.get(draft)).body.attachments
  const [a, b] = await filesOf()

  await acme.patch(draft, { attachments: [{ id: b.id }, file('c.txt', 'third')] })
  const kept = await filesOf()
  expect(kept).toMatchObject([
    { id: b.id, filename: 'b.txt' },
    { filename: 'c.txt', size: 5 },
  ])

  const gone = await acme.patch(draft, { attachments: [{ id: a.id }] })
  const twice = await acme.patch(draft, { attachments: [{ id: b.id }, { id: b.id }] })
  const both = await acme.patch(draft, { attachments: [{ id: b.id, content: 'YQ==' }] })
  expect([gone.status, twice.status, both.status]).toEqual([422, 422, 422])
  expect(await filesOf()).toEqual(kept)

  await acme.patch(draft, { subject: 'Still there' })
  expect(await filesOf()).toEqual(kept)
  await acme.patch(draft, { attachments: [] })
  expect(await filesOf()).toEqual([])
  await acme.patch(draft, { attachments: [file('d.txt')] })
  await acme.patch(draft, { attachments: null })
  expect(await filesOf()).toEqual([])

  // What no draft has any more waits to be swept.
  const loose = await app.db.query(sql`select key from loose_blobs where key like ${`emails/${acme.team}/%`}`)
  expect(loose).toHaveLength(4)
})

test('of two tabs that change the same version, one is told', async () => {
  const { acme, path } = await startDesk()
  const { body } = await acme.post(`${path}/drafts`, { text: 'Hello' })
  const draft = `${path}/drafts/${body.id}`

  const tabs = await Promise.all(['one', 'two'].map((text) => acme.patch(draft, { text, version: 1 })))
  const [winner] = tabs.filter(({ status }) => status === 200)
  const [loser] = tabs.filter(({ status }) => status !== 200)

  expect(winner!.body.version).toBe(2)
  expect(loser!.body).toEqual({
    statusCode: 409,
    message: 'The draft was changed meanwhile: it has version 2 now.',
    name: 'resource_locked',
  })
  expect((await acme.get(draft)).body.text).toBe(tabs[0] === winner ? 'one' : 'two')
  // Who names no version does not mind.
  expect((await acme.patch(draft, { text: 'three' })).body.version).toBe(3)
})

test('the draft of a reply begins with its recipients and its subject, and there is one at a time', async () => {
  const { acme, path, receive } = await startDesk()
  const { thread, email } = await receive({ subject: 'Order' })
  const about = { thread_id: thread, reply_to_email_id: email }

  const first = await acme.post(`${path}/drafts`, { ...about, text: 'Dear Ada' })
  const [second, third] = await Promise.all([
    acme.post(`${path}/drafts`, { ...about, text: 'Another' }),
    acme.post(`${path}/drafts`, { ...about, attachments: [file('a.txt')] }),
  ])

  expect(first.status).toBe(201)
  expect([second, third]).toMatchObject([first, first].map(({ body }) => ({ status: 200, body })))
  expect((await acme.get(`${path}/drafts/${first.body.id}`)).body).toMatchObject({
    ...{ type: 'reply', to: ['Ada <ada@example.net>'], subject: 'Re: Order', text: 'Dear Ada' },
    ...about,
  })
  const { body: threads } = await acme.get(`${path}/threads`)
  expect(threads.data).toMatchObject([{ id: thread, has_draft: true }])
  const [event] = (await acme.events()).filter(({ type }) => type === 'inbox.draft.created')
  expect(event!.data).toMatchObject({
    thread_id: thread,
    thread: { id: thread, subject: 'Order' },
    draft: { type: 'reply' },
  })

  await acme.delete(`${path}/drafts/${first.body.id}`)
  const { body: empty } = await acme.get(`${path}/threads`)
  expect(empty.data).toMatchObject([{ has_draft: false }])
  expect((await acme.post(`${path}/drafts`, { ...about, to: 'eve@example.com' })).status).toBe(201)
})

test('a draft that names its email wrongly, or is not right, is refused', async () => {
  const { acme, path, receive } = await startDesk()
  const [one, two] = [await receive(), await receive()]
  const many = Array.from({ length: 30 }, (_, n) => `u${n}@example.com`)
  const refused: [string, object, number][] = [
    ['a thread alone', { thread_id: one.thread }, 422],
    ['an email alone', { reply_to_email_id: one.email }, 422],
    ['an email of another thread', { thread_id: one.thread, reply_to_email_id: two.email }, 404],
    ['an email that is not there', { thread_id: one.thread, reply_to_email_id: newId() }, 404],
    [
      'a reply and a forward',
      { thread_id: one.thread, reply_to_email_id: one.email, forward_of_email_id: one.email },
      422,
    ],
    ['a forward of what is not there', { forward_of_email_id: newId() }, 404],
    ['no id', { thread_id: 'x', reply_to_email_id: 'y' }, 422],
    ['a wrong address', { to: ['ada@example.com', 'nobody'] }, 422],
    ['too many recipients', { to: many, cc: many }, 422],
    ['a subject of two lines', { subject: 'a\r\nBcc: b@example.com' }, 422],
    ['a subject without end', { subject: 'x'.repeat(2_001) }, 422],
    ['an empty file', { attachments: [{ filename: 'a.txt', content: '' }] }, 422],
    ['a file without a name', { attachments: [{ content: 'YQ==', content_type: 'text/plain' }] }, 422],
    ['a file that runs', { attachments: [{ filename: 'a.bat', content: 'YQ==' }] }, 422],
    ['a file without content', { attachments: [{ filename: 'a.txt' }] }, 422],
    ['a file of nobody', { attachments: [{ id: newId() }] }, 422],
    ['too many files', { attachments: Array(11).fill(file('a.txt')) }, 422],
  ]

  for (const [what, request, status] of refused)
    expect((await acme.post(`${path}/drafts`, request)).status, what).toBe(status)

  const { body } = await acme.post(`${path}/drafts`, { to: many })
  const draft = `${path}/drafts/${body.id}`
  expect((await acme.patch(draft, { cc: many })).status).toBe(422)
  expect((await acme.patch(draft, { to: [], cc: many, bcc: '' })).status).toBe(200)
  expect((await acme.get(draft)).body).toMatchObject({ to: null, cc: many, bcc: [], version: 2 })
  expect((await acme.get(`${path}/drafts`)).body.data).toHaveLength(1)
})

test('drafts are those of their inbox and their team, and go with it', async () => {
  const { app, acme, path, address } = await startDesk()
  const globex = await app.as('globex')
  const { body: other } = await acme.post('/inboxes', { email_address: address.replace('desk', 'sales') })
  const { body } = await acme.post(`${path}/drafts`, { text: 'Secret' })

  for (const [client, place] of [
    [globex, path],
    [acme, `/inboxes/${other.id}`],
  ] as const) {
    const draft = `${place}/drafts/${body.id}`
    const replies = [await client.get(draft), await client.patch(draft, { text: 'x' }), await client.delete(draft)]
    expect([...replies, await client.post(`${draft}/send`)].map(({ status }) => status)).toEqual([404, 404, 404, 404])
  }
  expect((await acme.get(`/inboxes/${other.id}/drafts`)).body.data).toEqual([])

  await acme.patch(`${path}/drafts/${body.id}`, { attachments: [FILE] })
  expect((await acme.delete(path)).status).toBe(200)
  expect((await acme.get(`${path}/drafts/${body.id}`)).status).toBe(404)
  const [loose] = await app.db.query(
    sql`select key from loose_blobs where key like ${`emails/${acme.team}/${body.id}/%`}`,
  )
  expect(loose).toBeDefined()
})

test('a draft is created once for each idempotency key', async () => {
  const { acme, path } = await startDesk()
  const create = (text: string, more = {}) =>
    acme.post(`${path}/drafts`, { text, ...more }, { 'idempotency-key': 'one' })

  const replies = [await create('Hello'), await create('Hello')]
  const other = await create('Bye')

  expect(replies[1]).toMatchObject({ status: 201, text: replies[0]!.text })
  expect(other.body).toMatchObject({ statusCode: 409, name: 'invalid_idempotent_request' })
  expect((await acme.get(`${path}/drafts`)).body.data).toHaveLength(1)
})

test('the drafts of one thread can be listed, and each says who made it', async () => {
  const { acme, path, receive } = await startDesk()
  const { thread, email } = await receive()
  await acme.post(`${path}/drafts`, { text: 'Of no thread' })
  await acme.post(`${path}/drafts`, { thread_id: thread, reply_to_email_id: email, text: 'A reply' })
  await acme.post(`${path}/drafts`, { forward_of_email_id: email, text: 'A forward' })

  const listed = async (filter: string) => (await acme.get(`${path}/drafts${filter}`)).body.data
  expect(await listed(`?thread_id=${thread}`)).toMatchObject([
    { snippet: 'A forward', source: 'api', reply_to_email_id: null, forward_of_email_id: email },
    { snippet: 'A reply', source: 'api', reply_to_email_id: email, forward_of_email_id: null },
  ])
  expect(await listed('')).toHaveLength(3)
  expect(await listed(`?thread_id=${email}`)).toEqual([])
})
