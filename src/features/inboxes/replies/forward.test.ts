import { expect, test } from 'vitest'
import { headerOf, startDesk, startSendingDesk } from '../../../../test/harness/answering.ts'
import { RICH } from '../../../../test/harness/arriving.ts'
import { readEmail } from '../../../../test/harness/emails.ts'
import { type Letter, letter } from '../../../../test/harness/filed-mail.ts'
import { sql } from '../../../kernel/db/sql.ts'

/** A letter with files. */
function withFiles(files: readonly { name: string; content: Buffer; id?: string }[], written: Letter = {}): Buffer {
  const parts = files.flatMap(({ name, content, id }) => [
    ...['--b', `Content-Type: application/octet-stream; name="${name}"`],
    ...[`Content-Disposition: attachment; filename="${name}"`, ...(id ? [`Content-ID: <${id}>`] : [])],
    ...['Content-Transfer-Encoding: base64', '', content.toString('base64').replace(/.{76}/g, '$&\r\n')],
  ])
  const body = ['--b', 'Content-Type: text/plain', '', 'See files.', ...parts, '--b--', ''].join('\r\n')
  return letter({ ...written, headers: ['Content-Type: multipart/mixed; boundary=b'], body })
}

test('a forward reaches others with a note, the banner, the email and its files', async () => {
  const { acme, address, receive, delivered } = await startSendingDesk()
  const { path, thread } = await receive(RICH)

  const { status, body } = await acme.post(`${path}/forward`, {
    to: ['eve@sink.dev', 'Bob <bob@sink.dev>'],
    html: '<p>Can you help?</p>',
    attachments: [{ filename: 'more.txt', content: Buffer.from('more').toString('base64') }],
  })
  const [mail] = await delivered()

  expect([status, body.thread_id]).toEqual([200, thread])
  expect(mail).toMatchObject({
    from: `"Acme, Desk" <${address}>`,
    to: ['eve@sink.dev', 'Bob <bob@sink.dev>'],
    subject: 'Fwd: Hello',
  })
  expect(mail!.html).toMatch(
    /^<p>Can you help\?<\/p><br><div class="gmail_quote"><div>-+ Forwarded message -+<br>From: Ada/,
  )
  expect(mail!.html).toContain('<p>Grüße</p><img src="cid:logo@example.net">')
  expect(mail!.text).toMatch(
    /^Can you help\?\n\n-+ Forwarded message -+\nFrom: Ada <ada@example\.net>\nDate: Sun, 15 Nov/,
  )
  expect(mail!.attachments).toMatchObject([
    { filename: 'logo.png', contentId: 'logo@example.net' },
    { filename: 'more.txt', content: Buffer.from('more') },
    { filename: 'notes.txt', content: Buffer.from('hello'), contentType: 'text/plain' },
  ])
  expect(headerOf(mail!, 'in-reply-to')).toBeUndefined()
  expect(headerOf(mail!, 'references')).toBe('<one@example.net>')
})

test('what was forwarded is not forwarded as forwarded forward', async () => {
  const { acme, receive } = await startDesk()
  const { path } = await receive({ subject: 'FW: Hello' })
  const { path: unnamed } = await receive({ subject: '' })

  const { body } = await acme.post(`${path}/forward`, { to: 'eve@example.com' })
  const { body: bare } = await acme.post(`${unnamed}/forward`, { to: 'eve@example.com', subject: '' })

  expect((await readEmail(acme, body.id)).subject).toBe('FW: Hello')
  expect((await readEmail(acme, bare.id)).subject).toBe('')
})

test('an own email is forwarded with its files, and each email has its own copies', async () => {
  const { app, acme, address, receive, messages } = await startDesk()
  const { path } = await receive()
  const { body: reply } = await acme.post(`${path}/reply`, {
    text: 'Here.',
    attachments: [{ filename: 'a.txt', content: Buffer.from('a').toString('base64') }],
  })

  const { status, body } = await acme.post(`${path.replace(/[^/]+$/, reply.id)}/forward`, { to: address, text: 'fyi' })
  await app.deliverDue()

  expect(status).toBe(200)
  expect((await acme.get(`/emails/${body.id}/attachments`)).body.data).toMatchObject([{ filename: 'a.txt', size: 1 }])
  expect(new Set((await messages()).map(({ thread }) => thread)).size).toBe(1)
})

const REFUSED: [string, object, string][] = [
  ['nobody to get it', {}, 'Missing `to` field.'],
  ['a wrong address', { to: 'nobody' }, 'Invalid `to` field.'],
  ['a header of ours', { to: 'a@example.com', headers: { REFERENCES: '<x@y>' } }, 'is set by the service'],
  [
    'too many recipients',
    { to: Array.from({ length: 50 }, (_, n) => `u${n}@example.com`), cc: 'a@example.com' },
    '50 recipients',
  ],
]

test('a forward that is not right is refused with the reason', async () => {
  const { acme, receive } = await startDesk()
  const { path } = await receive()

  for (const [what, request, message] of REFUSED) {
    const reply = await acme.post(`${path}/forward`, request)
    expect(reply.status, what).toBe(422)
    expect(reply.body.message, what).toContain(message)
  }
})

test('the files of both count together: ten, and 25 MB', async () => {
  const { app, acme, receive } = await startDesk()
  const small = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `${n}.txt`, content: Buffer.from('x') }))
  const ten = await receive(withFiles(small(10)))
  const large = await receive(withFiles([{ name: 'large.bin', content: Buffer.from('x') }]))
  await app.db.query(sql`update received_attachments set size = ${25 * 1024 * 1024} where received_id = ${large.email}`)
  const file = (bytes: number) => ({ filename: 'more.bin', content: Buffer.alloc(bytes).toString('base64') })

  expect((await acme.post(`${ten.path}/forward`, { to: 'eve@example.com' })).status).toBe(200)
  const many = await acme.post(`${ten.path}/forward`, { to: 'eve@example.com', attachments: [file(1)] })
  const much = await acme.post(`${large.path}/forward`, { to: 'eve@example.com', attachments: [file(1)] })

  expect(many).toMatchObject({
    status: 422,
    body: { name: 'invalid_attachment', message: 'There can be at most 10 attachments.' },
  })
  expect(much).toMatchObject({ status: 422, body: { name: 'invalid_attachment' } })
})

test('a file that runs, and one that is not stored, cannot be forwarded', async () => {
  let isLost = false
  const { acme, receive } = await startDesk(
    {},
    {
      blobs: (real) => ({
        put: (key, content) => real.put(key, content),
        get: async (key) => (isLost ? null : real.get(key)),
        open: (key) => real.open(key),
        remove: (key) => real.remove(key),
        archived: () => real.archived(),
      }),
    },
  )
  const program = await receive(withFiles([{ name: 'run.exe', content: Buffer.from('MZ') }]))
  const lost = await receive(withFiles([{ name: 'a.txt', content: Buffer.from('a') }]))
  isLost = true

  const refused = await acme.post(`${program.path}/forward`, { to: 'eve@example.com' })
  const missing = await acme.post(`${lost.path}/forward`, { to: 'eve@example.com' })

  expect(refused.body).toMatchObject({ statusCode: 422, message: expect.stringContaining('.exe') })
  expect(missing.body).toMatchObject({ statusCode: 422, name: 'invalid_attachment' })
  expect((await acme.get('/emails')).body.data).toEqual([])
})
