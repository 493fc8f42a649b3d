import { describe, expect, test } from 'vitest'
import { SIMPLE, sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { startFileServer } from '../../../test/harness/file-server.ts'

const FILE = { filename: 'hello.txt', content: 'YQ==' }

async function start() {
  const { acme } = await startAcme()
  return {
    /** Sends an email with these attachments and lists them, in the order in which they were given. */
    async attach(...attachments: object[]) {
      const id = await sendEmail(acme, { attachments })
      return (await acme.get(`/emails/${id}/attachments`)).body.data.reverse()
    },
    async refusal(...attachments: object[]) {
      const { status, body } = await acme.post('/emails', { ...SIMPLE, attachments })
      expect(status).toBe(422)
      return [body.name, body.message]
    },
  }
}

describe('what an attachment is called', () => {
  test('decides what it is, unless the sender says so', async () => {
    const { attach } = await start()
    const named = (filename: string, rest = {}) => ({ ...FILE, filename, ...rest })

    const items = await attach(
      named('a.PDF'),
      named('a.unknown'),
      named('noextension'),
      named('a.png', { content_type: 'image/webp' }),
      named('a.csv', { content_type: 'text/csv; charset=utf-8; header="a b"' }),
      { content: FILE.content, filename: false },
    )

    expect(items.map(({ filename, content_type }: Record<string, string>) => [filename, content_type])).toEqual([
      ['a.PDF', 'application/pdf'],
      ['a.unknown', 'application/octet-stream'],
      ['noextension', 'application/octet-stream'],
      ['a.png', 'image/webp'],
      ['a.csv', 'text/csv; charset=utf-8; header="a b"'],
      [undefined, 'application/octet-stream'],
    ])
  })

  test('is a name and not a program, however it is disguised', async () => {
    const { refusal } = await start()
    const disguises = [
      'a.exe',
      'a.EXE',
      'a.txt.js',
      'a.exe.',
      'a.exe . .',
      '.bat',
      'a.ex\u200ee',
      'a.exe\u202e',
      'a.ps1xml',
    ]

    for (const filename of disguises) {
      const [name, message] = await refusal({ ...FILE, filename })
      expect(name, filename).toBe('invalid_attachment')
      expect(message).toMatch(/^Attachments with the extension `\.(exe|js|bat|ps1xml)` are not allowed\.$/)
    }
    const server = await startFileServer()
    expect((await refusal({ path: `${server.url}/setup.e%78e` }))[1]).toContain('`.exe`')
  })

  test('must be given with content, and a type must be one', async () => {
    const { refusal } = await start()

    expect(await refusal({ content: 'YQ==' })).toEqual(['invalid_attachment', 'Attachment must have a `filename`.'])
    expect((await refusal({ ...FILE, filename: 'x'.repeat(256) }))[0]).toBe('validation_error')
    for (const content_type of ['png', 'image/', 'text/plain\r\nBcc: a@b.de', 'text/plain;\r\n\r\na=b', 'a/b; c="ü"'])
      expect(await refusal({ ...FILE, content_type }), content_type).toEqual([
        'invalid_attachment',
        'The `content_type` of an attachment must be like `image/png`.',
      ])
  })

  test('may be anything in a URL', async () => {
    const { attach } = await start()
    const server = await startFileServer()

    const items = await attach(
      { path: `${server.url}/a%00b%0Ac.txt` },
      { path: `${server.url}/..%2F..%2Fetc%2Fpasswd` },
      { path: `${server.url}/100%25%zz.txt` },
      { path: `${server.url}/${'ü'.repeat(300)}.txt` },
    )

    const [zero, folders, percent, long] = items.map(({ filename }: { filename: string }) => filename)
    expect([zero, folders, percent]).toEqual(['abc.txt', '.._.._etc_passwd', '100%25%zz.txt'])
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(255)
    expect(long).toMatch(/^ü+\.txt$/)
  })
})

describe('an attachment with a content id', () => {
  test('is shown inside the email', async () => {
    const { attach } = await start()

    const items = await attach(
      { ...FILE, content_id: 'logo' },
      { ...FILE, inline_content_id: '<logo@acme.dev>' },
      { ...FILE, content_id: 'new', inline_content_id: 'old' },
      { ...FILE, content_id: null },
    )

    expect(
      items.map(({ content_disposition, content_id }: Record<string, string>) => [content_disposition, content_id]),
    ).toEqual([
      ['inline', 'logo'],
      ['inline', 'logo@acme.dev'],
      ['inline', 'new'],
      ['attachment', undefined],
    ])
  })

  test('has one that fits into a header', async () => {
    const { refusal } = await start()

    for (const content_id of ['a b', 'a\r\nBcc: x', 'a<b', 'a>b'])
      expect((await refusal({ ...FILE, content_id }))[0]).toBe('invalid_attachment')
    expect((await refusal({ ...FILE, content_id: 'x'.repeat(128) }))[0]).toBe('validation_error')
  })
})
