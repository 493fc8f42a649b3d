import { expect, test } from 'vitest'
import { headerOf, startDesk, startSendingDesk } from '../../../../test/harness/answering.ts'
import { type Client, startApp } from '../../../../test/harness/app.ts'
import { blobsOf, readEmail } from '../../../../test/harness/emails.ts'
import { makeGate } from '../../../../test/harness/gate.ts'
import { limit } from '../../../../test/harness/operators.ts'
import { unluckyDatabase } from '../../../../test/harness/unlucky-database.ts'
import type { BlobStore } from '../../../adapters/blobs/blob-store.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { EVERYTHING } from '../../../kernel/http/actor.ts'
import { requireInbox } from '../actions.ts'
import { sendDraft } from './send.ts'

const FILE = { filename: 'notes.txt', content: Buffer.from('hello').toString('base64'), content_type: 'text/plain' }
const COMPLETE = { to: 'ada@example.com', subject: 'Hello', html: '<p>Dear Ada</p>', attachments: [FILE] }

const countEmails = async (client: Client) => (await client.get('/emails?limit=100')).body.data.length

test('the draft of a reply is sent as a reply, with its files, in its thread', async () => {
  const { acme, path, receive, delivered } = await startSendingDesk()
  const { thread, email } = await receive({ from: 'Ada <ada@sink.dev>', subject: 'Order', id: '<order@sink.dev>' })
  const { body: draft } = await acme.post(`${path}/drafts`, {
    ...{ thread_id: thread, reply_to_email_id: email, html: '<p>It is <b>here</b> <img src="cid:photo"></p>' },
    attachments: [FILE, { ...FILE, filename: 'photo.png', content_type: 'image/png', content_id: 'photo' }],
  })

  const { status, body } = await acme.post(`${path}/drafts/${draft.id}/send`, { headers: { 'X-Ticket': '7' } })
  const [mail] = await delivered()

  expect(status).toBe(200)
  expect(body).toEqual({ object: 'inbox_draft', id: draft.id, thread_id: thread, email_id: expect.any(String) })
  expect(mail).toMatchObject({
    to: ['Ada <ada@sink.dev>'],
    subject: 'Re: Order',
    html: expect.stringContaining('Ada &lt;ada@sink.dev&gt; wrote:</div><blockquote'),
    attachments: [
      { filename: 'photo.png', contentId: 'photo' },
      { filename: 'notes.txt', content: Buffer.from('hello') },
    ],
  })
  expect(headerOf(mail!, 'in-reply-to')).toBe('<order@sink.dev>')
  expect(headerOf(mail!, 'x-ticket')).toBe('7')
  expect((await acme.get(`${path}/drafts/${draft.id}`)).body).toMatchObject({
    email_id: body.email_id,
    attachments: [{ filename: 'notes.txt' }, { filename: 'photo.png' }],
  })
  const events = (await acme.events()).filter(({ type }) => /inbox\.(draft|email)\.sent/.test(type))
  expect(events).toMatchObject([
    {
      type: 'inbox.draft.sent',
      data: {
        source: 'api',
        thread_id: thread,
        draft_id: draft.id,
        email_id: body.email_id,
        email: { subject: 'Re: Order' },
      },
    },
    { type: 'inbox.email.sent', data: { source: 'api', thread_id: thread, email_id: body.email_id } },
  ])
  expect(JSON.stringify(events)).not.toContain('<b>here')
})

test('a draft of its own begins a thread, and one that forwards carries the email', async () => {
  const { acme, path, receive, messages } = await startDesk()
  const { thread, email } = await receive({ subject: 'Order' })
  const { body: alone } = await acme.post(`${path}/drafts`, COMPLETE)
  const { body: forward } = await acme.post(`${path}/drafts`, { to: 'eve@example.com', forward_of_email_id: email })

  const { body: first } = await acme.post(`${path}/drafts/${alone.id}/send`)
  const { body: second } = await acme.post(`${path}/drafts/${forward.id}/send`)

  expect(first.thread_id).not.toBeNull()
  expect(first.thread_id).not.toBe(thread)
  expect(second.thread_id).toBe(thread)
  const begun = (await acme.events()).filter(({ data }) => data.thread_id === first.thread_id)
  expect(begun.map(({ type }) => type)).toEqual(['inbox.thread.created', 'inbox.draft.sent', 'inbox.email.sent'])
  expect(begun[1]!.data).toMatchObject({
    source: 'api',
    draft_id: alone.id,
    thread: { id: first.thread_id },
    draft: { id: alone.id, thread_id: first.thread_id, email_id: first.email_id },
    email_id: first.email_id,
    email: { id: first.email_id, direction: 'outbound', subject: COMPLETE.subject },
  })
  expect((await acme.events()).filter(({ type }) => type === 'inbox.draft.sent')).toHaveLength(2)
  expect((await messages()).map((one) => one.thread)).toEqual([thread, first.thread_id, thread])
  expect(await readEmail(acme, second.email_id)).toMatchObject({
    subject: 'Fwd: Order',
    text: expect.stringContaining('Subject: Order\nTo: '),
  })
})

test('a draft that lacks something is not sent, and says what', async () => {
  const { acme, path } = await startDesk()
  const { attachments, ...complete } = COMPLETE
  const lacking: [object, string][] = [
    [{ ...complete, to: null }, 'Missing `to` field.'],
    [{ ...complete, subject: null }, 'Missing `subject` field.'],
    [{ ...complete, html: '' }, 'Missing `html` or `text` field.'],
  ]

  for (const [request, message] of lacking) {
    const { body } = await acme.post(`${path}/drafts`, request)
    expect((await acme.post(`${path}/drafts/${body.id}/send`)).body).toMatchObject({ statusCode: 422, message })
  }
  const { body } = await acme.post(`${path}/drafts`, complete)
  const forbidden = await acme.post(`${path}/drafts/${body.id}/send`, { headers: { references: '<a@b>' } })
  const older = await acme.post(`${path}/drafts/${body.id}/send`, { version: 2 })

  expect([forbidden.status, older.status]).toEqual([422, 409])
  expect(await countEmails(acme)).toBe(0)
})

test('of many who send a draft at once one succeeds, in whatever process', async () => {
  const { acme, path } = await startDesk()
  const other = await startApp()
  const { body } = await acme.post(`${path}/drafts`, COMPLETE)
  const url = `${path}/drafts/${body.id}/send`

  const replies = await Promise.all([
    ...[1, 2, 3].map(() => acme.post(url)),
    ...[1, 2, 3].map(() => other.send({ method: 'POST', url, payload: {} }, acme.token)),
  ])

  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
  expect(await countEmails(acme)).toBe(1)
  const changed = [
    await acme.patch(`${path}/drafts/${body.id}`, { text: 'x' }),
    await acme.delete(`${path}/drafts/${body.id}`),
  ]
  expect(changed).toMatchObject([1, 2].map(() => ({ status: 409, body: { name: 'resource_locked' } })))
})

test('the same key gives the same answer, and nothing is sent again', async () => {
  const { acme, path, receive } = await startDesk()
  const { path: email } = await receive()
  const keyed = (url: string, body: object) => acme.post(url, body, { 'idempotency-key': 'one' })
  const { body: draft } = await acme.post(`${path}/drafts`, COMPLETE)
  const { body: other } = await acme.post(`${path}/drafts`, COMPLETE)

  for (const [url, body, unlike] of [
    [`${path}/drafts/${draft.id}/send`, {}, { headers: { 'X-A': 'b' } }],
    [`${email}/reply`, { text: 'Yes' }, { text: 'No' }],
    [`${email}/forward`, { to: 'eve@example.com' }, { to: 'bob@example.com' }],
  ] as const) {
    const [first, again] = [await keyed(url, body), await keyed(url, body)]
    expect([first.status, again.text]).toEqual([200, first.text])
    expect((await keyed(url, unlike)).body.name).toBe('invalid_idempotent_request')
  }
  expect((await keyed(`${path}/drafts/${other.id}/send`, {})).status).toBe(409)
  expect(await countEmails(acme)).toBe(3)
})

/** A store whose writing waits for the test. */
function heldStore() {
  const [written, go] = [makeGate(), makeGate()]
  const blobs = (real: BlobStore): BlobStore => ({
    put: async (key, content) => {
      await real.put(key, content)
      if (!isHolding) return
      written.open()
      await go.opened
    },
    get: (key) => real.get(key),
    open: (key) => real.open(key),
    remove: (key) => real.remove(key),
    archived: () => real.archived(),
  })
  let isHolding = false
  return {
    blobs,
    written,
    go,
    hold: () => {
      isHolding = true
    },
  }
}

test('who changes or deletes a draft while it is being sent is heard, and nothing else is sent', async () => {
  const { blobs, written, go, hold } = heldStore()
  const { acme, path, receive } = await startDesk({}, { blobs })
  const { email } = await receive({ headers: ['Content-Type: application/pdf; name=a.pdf'], body: 'x' })
  const { body } = await acme.post(`${path}/drafts`, { to: 'eve@example.com', forward_of_email_id: email })
  hold()

  const sending = acme.post(`${path}/drafts/${body.id}/send`)
  await written.opened
  const changed = await acme.patch(`${path}/drafts/${body.id}`, { to: 'bob@example.com' })
  go.open()

  expect(changed.status).toBe(200)
  expect(await sending).toMatchObject({ status: 409, body: { name: 'resource_locked' } })
  expect(await countEmails(acme)).toBe(0)
  const { body: sent } = await acme.post(`${path}/drafts/${body.id}/send`)
  expect((await readEmail(acme, sent.email_id)).to).toEqual(['bob@example.com'])
})

test('what is over the quota leaves nothing behind', async () => {
  const { app, acme, path, receive } = await startDesk()
  const { path: email } = await receive()
  const { body } = await acme.post(`${path}/drafts`, COMPLETE)
  const stored = blobsOf(app).length
  await limit(app, acme, { emails_per_day: 1 })

  const sent = await acme.post(`${path}/drafts/${body.id}/send`)
  const replied = await acme.post(`${email}/reply`, { text: 'x', attachments: [FILE] }, { 'idempotency-key': 'a' })

  expect([sent, replied]).toMatchObject([1, 2].map(() => ({ status: 429, body: { name: 'daily_quota_exceeded' } })))
  expect(blobsOf(app)).toHaveLength(stored)
  expect(await app.db.query(sql`select from inbox_sendings where team_id = ${acme.team}`)).toEqual([])
  expect((await acme.get(`${path}/drafts/${body.id}`)).body).toMatchObject({
    email_id: null,
    attachments: [{ filename: 'notes.txt' }],
  })
  await limit(app, acme, { emails_per_day: null })
  expect((await acme.post(`${path}/drafts/${body.id}/send`)).status).toBe(200)
  const again = await acme.post(`${email}/reply`, { text: 'x', attachments: [FILE] }, { 'idempotency-key': 'a' })
  expect(again.status).toBe(200)
})

test('a connection that breaks anywhere leaves the draft as it was, until it is sent', async () => {
  const { app, acme, path, id, messages } = await startDesk()
  const actor = { team: acme.team, identity: { kind: 'anonymous' as const }, permissions: EVERYTHING, domainId: null }
  const inbox = await requireInbox(app.db, acme.team, id)

  const { body } = await acme.post(`${path}/drafts`, COMPLETE)
  const stateOf = () =>
    app.db.query(sql`
      select (select count(*) from emails where team_id = ${acme.team})::int as emails,
        (select count(*) from inbox_sendings where team_id = ${acme.team})::int as sendings,
        (select count(*) from inbox_draft_attachments where team_id = ${acme.team})::int as files,
        (select count(*) from inbox_drafts where team_id = ${acme.team} and sent_at is null)::int as drafts`)

  let statement = 1
  for (; ; statement++) {
    const services = { ...app.services, db: unluckyDatabase(app.db, [statement]) }
    const sending = sendDraft(services, { actor, inbox, source: 'api' }, { draft: body.id, request: {} })
    const lost = await sending.then(
      () => false,
      () => true,
    )
    if (!lost) break
    expect(await stateOf(), `statement ${statement}`).toEqual([{ emails: 0, sendings: 0, files: 1, drafts: 1 }])
  }

  // The first statement that may be lost is one of filing: the email is sent, and is filed later.
  expect(statement).toBeGreaterThan(5)
  expect(await stateOf()).toEqual([{ emails: 1, sendings: 1, files: 0, drafts: 0 }])
  await app.fileMail()
  expect(await stateOf()).toEqual([{ emails: 1, sendings: 0, files: 0, drafts: 0 }])
  expect(await messages()).toMatchObject([{ direction: 'outbound', subject: 'Hello' }])
})

test('beyond this machine only a verified domain sends, and the draft stays', async () => {
  const { app, acme, path, receive } = await startSendingDesk()
  const { path: email } = await receive({ from: 'ada@sink.dev' })
  const { body } = await acme.post(`${path}/drafts`, { ...COMPLETE, to: 'ada@sink.dev' })
  await app.db.query(
    sql`update domains set is_sending_verified = false, status = 'pending' where team_id = ${acme.team}`,
  )

  const refused = [await acme.post(`${path}/drafts/${body.id}/send`), await acme.post(`${email}/reply`, { text: 'x' })]

  expect(refused).toMatchObject([1, 2].map(() => ({ status: 403, body: { name: 'validation_error' } })))
  expect((await acme.get(`${path}/drafts/${body.id}`)).body.email_id).toBeNull()
})
