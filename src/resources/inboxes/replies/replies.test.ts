import { expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../../test/harness/app.ts'
import { arrive } from '../../../../test/harness/arriving.ts'
import { readEmail } from '../../../../test/harness/emails.ts'
import { inboxOf, type Letter, letter, messagesIn } from '../../../../test/harness/filed-mail.ts'

/** An inbox with one letter in it, as somebody finds it who was just told that it came. */
async function startWith(written: Letter, settings: Record<string, string> = {}) {
  const app = await startApp(settings)
  const { client: acme, id: inbox, address, domain } = await inboxOf(app, 'acme')
  await acme.patch(`/inboxes/${inbox}`, { from_name: 'Acme "Desk"' })
  const email = await letterFor(app, acme, inbox, address, written)
  return { app, acme, inbox, address, domain, ...email }
}

async function letterFor(app: App, acme: Client, inbox: string, address: string, written: Letter) {
  const { message } = await arrive(app, letter({ to: address, ...written }), { to: [address] })
  await app.runDueJobs()
  await app.fileMail()
  const filed = (await messagesIn(app, acme, inbox)).find(({ id }) => id === message)!
  return { email: message, thread: filed.thread, path: `/inboxes/${inbox}/threads/${filed.thread}/emails/${message}` }
}

const headersOf = async (client: Client, id: string) => {
  const { body } = await client.get(`/emails/${id}/source`)
  const [head] = String(body.source).split('\r\n\r\n', 1)
  return head!.replace(/\r\n[ \t]+/g, ' ')
}

test('a reply goes to who wrote, in the same thread, with the email quoted below', async () => {
  const { app, acme, inbox, address, thread, path } = await startWith({
    ...{ subject: 'Invoice', id: '<three@example.net>', references: ['<one@example.net>', '<two@example.net>'] },
    body: 'Where is it?\r\n',
  })

  const reply = await acme.post(`${path}/reply`, { text: 'On its way.', html: '<p>On its way.</p>', cc: 'bob@example.com' })

  expect(reply).toMatchObject({ status: 200, body: { thread_id: thread, direction: 'outbound' } })
  expect(reply.body.id).toBe(reply.body.email_id)
  const sent = await readEmail(acme, reply.body.id)
  expect(sent).toMatchObject({
    from: `"Acme \\"Desk\\"" <${address}>`,
    to: ['Ada <ada@example.net>'],
    cc: ['bob@example.com'],
    subject: 'Re: Invoice',
    text: 'On its way.\n\nOn Sun, 15 Nov 2026 at 01:20 UTC, Ada <ada@example.net> wrote:\n> Where is it?\n',
  })
  expect(sent.html).toContain('<div>Where is it?</div></blockquote>')
  const head = await headersOf(acme, reply.body.id)
  expect(head).toContain('In-Reply-To: <three@example.net>')
  expect(head).toContain('References: <one@example.net> <two@example.net> <three@example.net>')
  // Whoever was answered finds it at once.
  expect(await messagesIn(app, acme, inbox)).toMatchObject([
    { direction: 'inbound', thread },
    { id: reply.body.id, direction: 'outbound', thread },
  ])
  const events = (await acme.events()).filter(({ type }) => type === 'inbox.email.sent')
  expect(events).toMatchObject([{ data: { source: 'api', thread_id: thread, email_id: reply.body.id } }])
})

test('a reply to all leaves out the inbox, and writes to nobody twice', async () => {
  const { acme, address, path } = await startWith({ cc: 'Eve <eve@example.net>, BOB@example.net, ada@example.net' })
  const [local, domain] = address.split('@')
  const { app, inbox } = await startWith({})
  expect([local, domain, app, inbox]).toBeDefined()

  const { body } = await acme.post(`${path}/reply`, { text: 'Yes', reply_all: true, bcc: 'log@example.com' })

  expect(await readEmail(acme, body.id)).toMatchObject({
    to: ['Ada <ada@example.net>'],
    cc: ['Eve <eve@example.net>', 'BOB@example.net'],
    bcc: ['log@example.com'],
  })
})
