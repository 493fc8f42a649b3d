import { createTransport, type SendMailOptions } from 'nodemailer'
import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { freshAddress, NOBODY, type SdkContext } from './context.ts'

const UNKNOWN = { statusCode: 404, name: 'not_found' }
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

let number = 0

export function inboxTests(context: SdkContext & { readonly smtpPort: number }) {
  const receive = (mail: SendMailOptions) =>
    createTransport({ host: '127.0.0.1', port: context.smtpPort, tls: { rejectUnauthorized: false } }).sendMail({
      from: 'Ada <ada@elsewhere.example>',
      ...mail,
    })

  let domain: Promise<string> | undefined

  /** One for all, since it has keys to make. */
  async function makeDomain() {
    const capabilities = { sending: 'enabled', receiving: 'enabled' } as const
    return (await dataOf(context.resend.domains.create({ name: 'inboxes.example', capabilities }))).name
  }

  async function makeInbox() {
    const { inboxes } = context.resend
    domain ??= makeDomain()
    const emailAddress = `desk${++number}@${await domain}`
    const { id: inboxId } = await dataOf(inboxes.create({ emailAddress, name: 'Desk', fromName: 'Acme Desk' }))
    return { inboxId, emailAddress }
  }

  /** One with mail from Ada in it. */
  async function makeThread(mail: SendMailOptions = {}) {
    const inbox = await makeInbox()
    await receive({ to: inbox.emailAddress, subject: 'A question', text: 'Do you sell tea?', ...mail })
    const newest = async () => (await context.resend.inboxes.threads.list({ inboxId: inbox.inboxId })).data?.data[0]
    // It is read before it is in the inbox, which can take a moment on a busy machine.
    await expect.poll(newest, { timeout: 20_000 }).toBeDefined()
    const { inboxId } = inbox
    const threadId = (await newest())!.id
    const { data } = await dataOf(context.resend.inboxes.threads.emails.list({ inboxId, threadId }))
    return { ...inbox, threadId, emailId: data[0]!.id }
  }

  test('an inbox is created, shown by id and by address, changed, listed and removed', async () => {
    const { inboxes } = context.resend
    const { inboxId: id, emailAddress: email_address } = await makeInbox()

    const shown = { object: 'inbox', id, name: 'Desk', email_address, from_name: 'Acme Desk', unread: 0, drafts: 0 }
    expect(await dataOf(inboxes.get(id))).toMatchObject({ ...shown, last_received: null, receiving_address: null })
    expect(await dataOf(inboxes.get(email_address))).toMatchObject(shown)
    expect(await dataOf(inboxes.update(email_address, { name: 'Help', fromName: 'Help' }))).toEqual({
      object: 'inbox',
      id,
    })
    expect((await dataOf(inboxes.list({ limit: 1 }))).data).toEqual([
      {
        ...{ id, name: 'Help', email_address, from_name: 'Help', unread: 0, last_received: null },
        ...{ created_at: expect.stringMatching(ISO), updated_at: expect.stringMatching(ISO) },
      },
    ])
    const forwarded = await dataOf(
      inboxes.create({ emailAddress: email_address.replace('desk', 'sales'), forwarding: true }),
    )
    expect((await dataOf(inboxes.get(forwarded.id))).receiving_address).toMatch(/^inbox-\w+@/)

    expect(await dataOf(inboxes.remove(id))).toEqual({ object: 'inbox', id, deleted: true })
    expect(await errorOf(inboxes.get(id))).toMatchObject({ ...UNKNOWN, message: 'Inbox not found' })
    expect(await errorOf(context.neighbour.inboxes.get(forwarded.id))).toMatchObject(UNKNOWN)
  })

  test('mail is listed, shown, marked, moved, thrown away and found', async () => {
    const { threads } = context.resend.inboxes
    const attachments = [{ filename: 'tea-list.txt', content: 'Assam' }]
    const { emailId, ...thread } = await makeThread({ text: 'Do you sell oolong?', attachments })
    const { inboxId, threadId } = thread

    expect((await dataOf(threads.list({ inboxId, folders: ['inbox', 'sent'], read: false }))).data).toMatchObject([
      {
        ...{ id: threadId, subject: 'A question', from: 'Ada <ada@elsewhere.example>', to: [thread.emailAddress] },
        ...{ cc: [], bcc: [], labels: [], email_count: 1, has_attachment: true, has_draft: false, read: false },
        ...{ received_at: expect.stringMatching(ISO), folder: 'inbox' },
      },
    ])
    expect(await dataOf(threads.emails.get({ inboxId, threadId, emailId }))).toMatchObject({
      ...{ id: emailId, direction: 'inbound', from: 'Ada <ada@elsewhere.example>', subject: 'A question', read: false },
      ...{ text: expect.stringContaining('oolong'), attachments: [{ filename: 'tea-list.txt', size: 5 }] },
    })
    const found = await dataOf(
      threads.search({ emailAddress: thread.emailAddress, query: 'oolong', from: ['ada@'], hasAttachment: true }),
    )
    expect(found.data).toMatchObject([{ id: threadId, matched_email_id: emailId }])
    expect((await dataOf(threads.search({ inboxId, query: 'oolong -sell' }))).data).toEqual([])

    expect(await dataOf(threads.update({ inboxId, threadId, read: true, folder: 'archive' }))).toMatchObject({
      ...{ object: 'inbox_thread', id: threadId, folder: 'archive', read: true },
    })
    expect(await dataOf(threads.remove({ inboxId, threadId }))).toEqual({
      ...{ object: 'inbox_thread', id: threadId, deleted: true },
    })
    expect(await dataOf(threads.remove({ inboxId, threadId }))).toMatchObject({ deleted: false })
    expect(await dataOf(threads.get({ inboxId, threadId }))).toMatchObject({ folder: 'trash', read: true })
    expect(await errorOf(threads.get({ inboxId, threadId: NOBODY }))).toMatchObject(UNKNOWN)
  })

  test('labels are made, put on threads, changed and taken away', async () => {
    const { labels, threads } = context.resend.inboxes
    const { inboxId, threadId } = await makeThread()
    const bug = await dataOf(labels.create({ inboxId, name: 'Bug', color: '#E93D82' }))
    const idea = await dataOf(labels.create({ inboxId, name: 'Idea' }))

    expect((await dataOf(labels.list({ inboxId }))).data).toMatchObject([
      { id: bug.id, name: 'Bug', color: '#E93D82', created_at: expect.stringMatching(ISO) },
      { id: idea.id, name: 'Idea' },
    ])
    expect(await dataOf(threads.labels.add({ inboxId, threadId, labels: [bug.id] }))).toEqual({
      object: 'list',
      data: [{ id: bug.id, name: 'Bug', color: '#E93D82' }],
    })
    await dataOf(threads.labels.set({ inboxId, threadId, labels: [bug.id, idea.id] }))
    expect((await dataOf(threads.list({ inboxId, labels: [idea.id] }))).data).toHaveLength(1)
    const left = await dataOf(threads.labels.remove({ inboxId, threadId, labelId: bug.id }))
    expect(left.data).toMatchObject([{ id: idea.id }])
    expect(await dataOf(labels.update({ inboxId, labelId: idea.id, name: 'Plan' }))).toEqual({
      object: 'inbox_label',
      id: idea.id,
    })
    expect(await dataOf(labels.remove({ inboxId, labelId: idea.id }))).toMatchObject({ deleted: true })
    expect((await dataOf(threads.get({ inboxId, threadId }))).labels).toEqual([])
  })

  test('an email is answered and forwarded, and both are in their thread', async () => {
    const { threads } = context.resend.inboxes
    const { emails } = context.resend
    const mail = { cc: 'Bob <bob@elsewhere.example>', messageId: '<question@elsewhere.example>' }
    const { inboxId, threadId, emailId, emailAddress } = await makeThread(mail)

    const key = { idempotencyKey: `reply-${threadId}` }
    const words = { inboxId, threadId, emailId, html: '<p>We do.</p>', replyAll: true }
    const reply = await dataOf(threads.emails.reply(words, key))
    expect((await dataOf(threads.emails.reply(words, key))).id).toBe(reply.id)
    const forward = await dataOf(
      threads.emails.forward({ inboxId, threadId, emailId, to: freshAddress('boss'), text: 'Please look.' }),
    )

    const sent = await dataOf(emails.get(reply.id))
    expect(sent).toMatchObject({ from: `Acme Desk <${emailAddress}>`, subject: 'Re: A question' })
    expect([...sent.to, ...(sent.cc ?? [])].join()).toMatch(/ada@elsewhere\.example.*bob@elsewhere\.example/)
    expect(await dataOf(emails.get(forward.id))).toMatchObject({ subject: 'Fwd: A question' })
    const { data } = await dataOf(threads.emails.list({ inboxId, threadId, limit: 10 }))
    expect(data.map(({ id }) => id)).toEqual([emailId, reply.id, forward.id])
    const nobody = { inboxId, threadId, emailId: NOBODY, text: 'x' }
    expect(await errorOf(threads.emails.reply(nobody))).toMatchObject(UNKNOWN)
  })

  test('a draft is written, changed, listed, sent once and removed', async () => {
    const { drafts } = context.resend.inboxes
    const { inboxId, threadId, emailId } = await makeThread()
    const file = { filename: 'tea.txt', content: Buffer.from('Assam'), contentType: 'text/plain' }

    const created = await dataOf(
      drafts.create({ inboxId, to: freshAddress('eve'), subject: 'Tea', text: 'Hi', attachments: [file] }),
    )
    const draft = { inboxId, draftId: created.id }
    expect(await dataOf(drafts.get(draft))).toMatchObject({
      ...{ object: 'inbox_draft', id: created.id, type: 'standalone', subject: 'Tea', text: 'Hi', email_id: null },
      ...{ attachments: [{ filename: 'tea.txt', content_type: 'text/plain', size: 5 }] },
    })
    expect(await dataOf(drafts.update({ ...draft, subject: 'Green tea' }))).toMatchObject({ object: 'inbox_draft' })
    const answer = await dataOf(drafts.create({ inboxId, threadId, replyToEmailId: emailId, text: 'Yes' }))
    expect((await dataOf(drafts.create({ inboxId, threadId, replyToEmailId: emailId, text: 'No' }))).id).toBe(answer.id)
    expect((await dataOf(drafts.list({ inboxId }))).data).toMatchObject([
      { id: answer.id, type: 'reply', thread_id: threadId, reply_to_email_id: emailId },
      { id: created.id, type: 'standalone', subject: 'Green tea' },
    ])

    const sent = await dataOf(drafts.send({ ...draft, headers: { 'X-Order': '42' } }))
    expect(sent).toMatchObject({ id: created.id, email_id: expect.any(String), thread_id: expect.any(String) })
    expect(await errorOf(drafts.send(draft))).toMatchObject({ statusCode: 409 })
    expect(await dataOf(drafts.remove({ inboxId, draftId: answer.id }))).toEqual({
      ...{ object: 'inbox_draft', id: answer.id, deleted: true },
    })
    expect(await errorOf(drafts.get({ inboxId, draftId: answer.id }))).toMatchObject(UNKNOWN)
  })

  test('the agent of an inbox is told what it may do', async () => {
    const { agent } = context.resend.inboxes
    const { emailAddress } = await makeInbox()

    expect(await dataOf(agent.get({ emailAddress }))).toMatchObject({ object: 'inbox_agent', actions: [] })
    const told = { instructions: 'Label bugs.', tone: 'concise_casual', actions: ['add_labels'] } as const
    const updated = await dataOf(agent.update({ emailAddress, ...told, actions: [...told.actions] }))
    expect(updated).toMatchObject({ object: 'inbox_agent', id: expect.any(String) })
    expect(await dataOf(agent.get({ emailAddress }))).toMatchObject({ object: 'inbox_agent', ...told })
  })
}
