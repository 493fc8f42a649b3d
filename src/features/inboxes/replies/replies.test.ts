import { expect, test } from 'vitest'
import { headerOf, startDesk, startSendingDesk } from '../../../../test/harness/answering.ts'
import { arrive, RICH } from '../../../../test/harness/arriving.ts'
import { readEmail } from '../../../../test/harness/emails.ts'
import { letter } from '../../../../test/harness/filed-mail.ts'
import { newId } from '../../../../test/harness/ids.ts'

test('a reply reaches who wrote, behind what they wrote, with the email quoted below', async () => {
  const { acme, address, receive, delivered } = await startSendingDesk()
  const { path, thread } = await receive({
    ...{ from: 'Ada <ada@sink.dev>', subject: 'Invoice', id: '<three@sink.dev>' },
    ...{ references: ['<one@sink.dev>', '<two@sink.dev>'], body: 'Where is it?\r\n> Soon.\r\n' },
  })

  const { status, body } = await acme.post(`${path}/reply`, {
    text: 'On its way.',
    html: '<p>On its way.</p>',
    cc: 'bob@sink.dev',
    attachments: [{ filename: 'invoice.txt', content: Buffer.from('5 EUR').toString('base64') }],
    headers: { 'X-Ticket': '7' },
  })
  const [mail, copy, ...others] = (await delivered()).toSorted((a, b) => (a.envelope[0]! < b.envelope[0]! ? -1 : 1))

  expect([status, body.thread_id, body.direction, body.id]).toEqual([200, thread, 'outbound', body.email_id])
  expect(others).toEqual([])
  expect(mail).toMatchObject({
    envelope: ['ada@sink.dev'],
    from: `"Acme, Desk" <${address}>`,
    to: ['Ada <ada@sink.dev>'],
    cc: ['bob@sink.dev'],
    subject: 'Re: Invoice',
    text: expect.stringMatching(
      /^On its way\.\n\nOn Sun, 15 Nov 2026 at 01:20 UTC, Ada <ada@sink\.dev> wrote:\n> Where/,
    ),
    html: expect.stringContaining('<div>Where is it?<br>&gt; Soon.</div></blockquote>'),
    attachments: [{ filename: 'invoice.txt', content: Buffer.from('5 EUR') }],
  })
  expect(copy).toMatchObject({ envelope: ['bob@sink.dev'], to: mail!.to, cc: mail!.cc, text: mail!.text })
  expect(headerOf(mail!, 'in-reply-to')).toBe('<three@sink.dev>')
  expect(headerOf(mail!, 'references')).toBe('<one@sink.dev> <two@sink.dev> <three@sink.dev>')
  expect(headerOf(mail!, 'x-ticket')).toBe('7')
})

test('who has replied finds it in its thread at once, and events tell', async () => {
  const { app, acme, receive, messages } = await startDesk()
  const { path, thread } = await receive()
  const person = await app.person('acme', 'admin')

  const { body } = await person.post(`${path}/reply`, { text: 'Yes' })

  expect(await messages()).toMatchObject([
    { direction: 'inbound', thread },
    { id: body.id, direction: 'outbound', thread },
  ])
  const events = (await acme.events()).filter(({ type }) => type === 'inbox.email.sent')
  expect(events).toMatchObject([{ data: { source: 'dashboard', thread_id: thread, email_id: body.id } }])
})

test('an email that has just come can be answered, before anybody has filed it', async () => {
  const { app, acme, address, path } = await startDesk()
  const { message } = await arrive(app, letter({ to: address }), { to: [address] })

  const { body: list } = await acme.get(`${path}/threads`)
  const [{ id: thread }] = list.data
  const reply = await acme.post(`${path}/threads/${thread}/emails/${message}/reply`, { text: 'So fast.' })

  expect(reply).toMatchObject({ status: 200, body: { thread_id: thread } })
})

test('a reply to all leaves out the inbox, and writes to nobody twice', async () => {
  const { acme, address, receive } = await startDesk()
  const tagged = address.replace('@', '+orders@').toUpperCase()
  const { path } = await receive({
    to: `${address}, Carl <carl@example.net>, ADA@example.net`,
    cc: `Eve <eve@example.net>, ${tagged}, carl@EXAMPLE.net, bob@example.net`,
  })

  const { body } = await acme.post(`${path}/reply`, {
    text: 'Yes',
    reply_all: true,
    cc: 'eve@example.net',
    bcc: ['log@example.com'],
  })
  const { body: alone } = await acme.post(`${path}/reply`, { text: 'Yes', reply_all: false })

  expect(await readEmail(acme, body.id)).toMatchObject({
    to: ['Ada <ada@example.net>', 'Carl <carl@example.net>'],
    cc: ['Eve <eve@example.net>', 'bob@example.net'],
    bcc: ['log@example.com'],
  })
  expect(await readEmail(acme, alone.id)).toMatchObject({ to: ['Ada <ada@example.net>'], cc: [] })
})

test('answers go where the sender wishes them, and own emails are followed up', async () => {
  const { acme, address, receive } = await startDesk()
  const { path, thread } = await receive({ headers: ['Reply-To: Team <team@example.net>', 'Content-Type: text/plain'] })

  const { body: first } = await acme.post(`${path}/reply`, { text: 'Yes' })
  const own = path.replace(/[^/]+$/, first.id)
  const { body: second } = await acme.post(`${own}/reply`, { text: 'Any news?', reply_all: true })

  expect(await readEmail(acme, first.id)).toMatchObject({ to: ['Team <team@example.net>'] })
  const followUp = await readEmail(acme, second.id)
  expect(followUp).toMatchObject({ to: ['Team <team@example.net>'], cc: [], subject: expect.stringMatching(/^Re: Q/) })
  expect(followUp.text).toContain(`${address} wrote:\n> Yes\n`)
  expect(second.thread_id).toBe(thread)
})

test('the pictures of what is quoted are shown in the reply', async () => {
  const { acme, receive } = await startDesk()
  const { path } = await receive(RICH)

  const { body: withHtml } = await acme.post(`${path}/reply`, { html: '<p>Nice</p>' })
  const { body: withText } = await acme.post(`${path}/reply`, { text: 'Nice' })

  const { body: files } = await acme.get(`/emails/${withHtml.id}/attachments`)
  expect(files.data).toMatchObject([
    { filename: 'logo.png', content_id: 'logo@example.net', content_disposition: 'inline' },
  ])
  expect((await readEmail(acme, withHtml.id)).html).toContain('<img src="cid:logo@example.net">')
  expect((await acme.get(`/emails/${withText.id}/attachments`)).body.data).toEqual([])
})

test('what strangers write in headers does no harm', async () => {
  const { acme, receive } = await startDesk()
  const endless = Array.from({ length: 400 }, (_, n) => `<${n}-${'x'.repeat(60)}@example.net>`)
  const hostile = await receive({
    ...{ from: '"</div><script>x</script>, Eve" <eve@example.net>', subject: `RE: ${'long '.repeat(600)}` },
    ...{ id: `<${'y'.repeat(300)}@example.net>`, references: endless, cc: 'undisclosed-recipients:;, nobody, <>' },
    headers: ['Content-Type: text/html', 'Reply-To: not an address'],
    body: '<p>Hi</blockquote></div><style>*{display:none}</style><script>x()</script>\r\n',
  })
  const nameless = await receive({ from: 'nobody at all', id: 'no id' })

  const { status, body } = await acme.post(`${hostile.path}/reply`, { html: '<p>Hm</p>', text: 'Hm', reply_all: true })
  const refused = await acme.post(`${nameless.path}/reply`, { text: 'Hm' })

  expect(status).toBe(200)
  const sent = await readEmail(acme, body.id)
  expect(sent.to).toEqual(['"</div><script>x</script>, Eve" <eve@example.net>'])
  expect(sent.subject).toHaveLength(2_000)
  expect(sent.subject.startsWith('RE: long')).toBe(true)
  expect(sent.html).not.toMatch(/<script|<style/)
  expect(sent.html).toMatch(/<p>Hi\s*<\/p><\/blockquote><\/div>$/)
  const { body: source } = await acme.get(`/emails/${body.id}/source`)
  expect(source.source.match(/^References: .*(?:\r\n[ \t].*)*/m)[0].length).toBeLessThan(9_000)
  expect(refused).toMatchObject({ status: 422, body: { name: 'validation_error' } })
})

const REFUSED: [string, object, string][] = [
  ['nothing to say', {}, 'Missing `html` or `text` field.'],
  ['nothing but empty texts', { html: '', text: '' }, 'Missing `html` or `text` field.'],
  ['a header of ours', { text: 'x', headers: { 'in-REPLY-to': '<a@b>' } }, '`in-REPLY-to` is set by the service.'],
  ['another one', { text: 'x', headers: { References: '<a@b>' } }, '`References` is set by the service.'],
  ['the third', { text: 'x', headers: { 'Reply-To': 'a@b.dev' } }, '`Reply-To` is set by the service.'],
  ['a header without a name', { text: 'x', headers: { '': 'x' } }, 'A header name is made of'],
  ['a header of two lines', { text: 'x', headers: { 'X-A': 'a\r\nBcc: b@c.dev' } }, 'contains a line break'],
  ['a wrong address', { text: 'x', cc: 'nobody' }, 'Invalid `cc` field.'],
  ['a subject of two lines', { text: 'x', subject: 'a\nb' }, 'Invalid `subject` field.'],
  ['a subject without end', { text: 'x', subject: 'x'.repeat(2_001) }, 'Invalid `subject` field.'],
  ['an empty file', { text: 'x', attachments: [{ filename: 'a.txt', content: '' }] }, 'is empty'],
  ['a file that runs', { text: 'x', attachments: [{ filename: 'a.exe', content: 'YQ==' }] }, 'not allowed'],
  ['a wrong URL', { text: 'x', attachments: [{ filename: 'a', path: 'file:///etc/passwd' }] }, ''],
  [
    'too many recipients',
    { text: 'x', bcc: Array.from({ length: 50 }, (_, n) => `u${n}@example.com`) },
    '50 recipients',
  ],
  ['too many files', { text: 'x', attachments: Array(11).fill({ filename: 'a.txt', content: 'YQ==' }) }, ''],
]

test('a reply that is not right is refused with the reason, and nothing is sent', async () => {
  const { acme, receive, messages } = await startDesk()
  const { path } = await receive()

  for (const [what, request, message] of REFUSED) {
    const reply = await acme.post(`${path}/reply`, request)
    expect(reply.status, what).toBe(422)
    expect(reply.body.message, what).toContain(message)
  }

  expect(await messages()).toHaveLength(1)
})

test('what is not there, or belongs to others, cannot be answered', async () => {
  const { app, acme, path, receive } = await startDesk()
  const one = await receive()
  const two = await receive()
  const globex = await app.as('globex')
  const other = await acme.post('/inboxes', {
    email_address: `sales@${(await acme.get(path)).body.email_address.split('@')[1]}`,
  })
  const reply = (inbox: string, thread: string, email: string, client = acme) =>
    client.post(`${inbox}/threads/${thread}/emails/${email}/reply`, { text: 'x' })

  expect((await reply(path, one.thread, two.email)).status).toBe(404)
  expect((await reply(path, one.thread, newId())).status).toBe(404)
  expect((await reply(`/inboxes/${other.body.id}`, one.thread, one.email)).status).toBe(404)
  expect((await reply(path, one.thread, one.email, globex)).status).toBe(404)
  expect((await reply(path, one.thread, 'x')).status).toBe(422)
})
