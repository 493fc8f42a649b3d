import fc from 'fast-check'
import MailComposer from 'nodemailer/lib/mail-composer'
import { expect, test } from 'vitest'
import { arbitraryMessage } from './golden/arbitrary-message.ts'
import { decodeWords, type ReadPart, readMailboxes, readMime } from './golden/mime-reader.ts'
import { faultsOf } from './golden/wire-faults.ts'
import type { Message, Stamp } from './message.ts'
import { buildMime, hasUtf8Headers } from './mime.ts'

const stamp: Stamp = { messageId: '<1@example.com>', date: new Date('2025-02-03T04:05:06Z'), seed: 'seed' }
const minimal: Message = {
  from: { name: null, address: 'ada@example.com' },
  to: [{ name: null, address: 'grace@example.org' }],
  cc: [],
  replyTo: [],
  subject: 'Hello',
  html: null,
  text: 'Hello',
  headers: [],
  attachments: [],
}
const headersOf = (message: Message) => buildMime(message, stamp).toString().split('\r\n\r\n')[0]!.split('\r\n')

/** `mixed(alternative(text/plain,text/html),application/pdf)` */
function shapeOf({ type, parts }: ReadPart): string {
  return parts.length > 0 ? `${type.replace('multipart/', '')}(${parts.map(shapeOf)})` : type
}

function leavesOf(part: ReadPart): ReadPart[] {
  return part.parts.length > 0 ? part.parts.flatMap(leavesOf) : [part]
}

/** All that a reader is shown, without the ways there are to spell it. */
function meaningOf(mime: Buffer) {
  const root = readMime(mime)
  const mailboxes = (name: string) => readMailboxes(root.headers.get(name)?.[0] ?? '')
  return {
    shape: shapeOf(root),
    people: ['from', 'to', 'cc', 'reply-to'].map(mailboxes),
    subject: decodeWords(root.headers.get('subject')?.[0] ?? ''),
    contents: leavesOf(root).map(({ type, filename, contentId, disposition, content }) => ({
      ...{ type, filename, contentId, disposition: disposition ?? 'inline' },
      content: type.startsWith('text/')
        ? content.toString().replace(/\r?\n/g, '\n').trimEnd()
        : content.toString('hex'),
    })),
  }
}

test('whatever the message, its bytes are well-formed and say what it says', () => {
  fc.assert(
    fc.property(arbitraryMessage, (message) => {
      const mime = buildMime(message, stamp)
      const meaning = meaningOf(mime)

      expect(faultsOf(mime)).toEqual([])
      expect(meaning.people).toEqual([[message.from], message.to, message.cc, message.replyTo])
      expect(meaning.subject).toBe(message.subject)
      const custom = readMime(mime).headers
      for (const { name, value } of message.headers)
        expect(custom.get(name.toLowerCase())!.map(decodeWords)).toContain(value)
    }),
    { numRuns: 3000, endOnFailure: true },
  )
})

test('nodemailer says the same of the same message', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryMessage, async (message) => {
      // An empty part is left out by us, and not by nodemailer.
      const same = { ...message, html: message.html || null, text: message.text || 'text' }
      const theirs = await composed(same)

      expect(meaningOf(buildMime(same, stamp))).toEqual(meaningOf(theirs))
    }),
    { numRuns: 3000, endOnFailure: true },
  )
})

function composed({ text, html, headers, attachments, ...rest }: Message): Promise<Buffer> {
  const mailboxes = (list: Message['to']) => list.map(({ name, address }) => ({ name: name ?? '', address }))
  const composer = new MailComposer({
    ...{
      from: mailboxes([rest.from])[0]!,
      to: mailboxes(rest.to),
      cc: mailboxes(rest.cc),
      replyTo: mailboxes(rest.replyTo),
    },
    ...{ subject: rest.subject, text: text!, messageId: stamp.messageId, date: stamp.date },
    ...(html === null ? {} : { html }),
    attachments: attachments.map(({ filename, contentType, contentId, content }) => ({
      ...{ filename: filename!, contentType, content },
      ...(contentId === null ? {} : { cid: contentId, contentDisposition: 'inline' as const }),
    })),
  })
  return new Promise((resolve, reject) => {
    composer.compile().build((error, mime) => (error ? reject(error) : resolve(mime)))
  })
}

test.each<[{ text: string | null; html?: string; attachments?: string[] }, string]>([
  [{ text: 'a' }, 'text/plain'],
  [{ text: null, html: 'a' }, 'text/html'],
  [{ text: '', html: 'a' }, 'text/html'],
  [{ text: 'a', html: '' }, 'text/plain'],
  [{ text: 'a', html: 'b' }, 'alternative(text/plain,text/html)'],
  [{ text: null, html: 'b', attachments: ['i'] }, 'related(text/html,image/png)'],
  [{ text: 'a', html: 'b', attachments: ['i'] }, 'alternative(text/plain,related(text/html,image/png))'],
  [{ text: 'a', attachments: ['i'] }, 'mixed(text/plain,image/png)'],
  [{ text: 'a', attachments: ['a', 'a'] }, 'mixed(text/plain,image/png,image/png)'],
  [{ text: null, html: 'b', attachments: ['a', 'i'] }, 'mixed(related(text/html,image/png),image/png)'],
  [{ text: null, attachments: ['a'] }, 'image/png'],
  [{ text: null }, 'text/plain'],
])('%j is %s', (content, shape) => {
  const file = { filename: 'x.png', contentType: 'image/png', content: Buffer.from('x') }
  const attachments = (content.attachments ?? []).map((kind) => ({ ...file, contentId: kind === 'i' ? 'id' : null }))

  expect(shapeOf(readMime(buildMime({ ...minimal, ...content, attachments }, stamp)))).toBe(shape)
})

test('the headers come in their order, the date in UTC', () => {
  const cc = [{ name: 'Cc', address: 'cc@example.com' }]

  expect(headersOf({ ...minimal, cc, replyTo: cc, to: [], headers: [{ name: 'x-y', value: 'z' }] })).toEqual([
    'Date: Mon, 03 Feb 2025 04:05:06 +0000',
    'Message-ID: <1@example.com>',
    'MIME-Version: 1.0',
    'From: ada@example.com',
    'To: undisclosed-recipients:;',
    'Cc: Cc <cc@example.com>',
    'Reply-To: Cc <cc@example.com>',
    'Subject: Hello',
    'x-y: z',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 7bit',
  ])
})

test('no value of a message can add a header, even if nobody checked it', () => {
  const evil = 'x\r\nBcc: eve@example.com\r\n\r\n'
  const mailbox = { name: evil, address: `ada@example.com${evil}` }
  const headers = headersOf({
    ...{ from: mailbox, to: [mailbox], cc: [mailbox], replyTo: [mailbox], subject: evil, html: null, text: null },
    headers: [{ name: 'References', value: evil }],
    attachments: [{ filename: evil, contentType: evil, contentId: evil, content: Buffer.from('x') }],
  })

  expect(headers.filter((line) => /^Bcc|^$/i.test(line))).toEqual([])
  expect(() => buildMime({ ...minimal, headers: [{ name: 'X\r\nBcc', value: 'x' }] }, stamp)).toThrow('cannot be named')
})

test('only an address beyond ASCII makes the headers UTF-8', () => {
  const from = (address: string) =>
    buildMime({ ...minimal, subject: 'Ü', text: 'Ü', from: { name: 'Ü', address } }, stamp)

  expect(hasUtf8Headers(from('ada@müller.example'))).toBe(false)
  expect(hasUtf8Headers(from('jörg@müller.example'))).toBe(true)
})

test.each([0, 1, 56, 57, 58, 14_591, 14_592, 14_593, 100_000])(
  'an attachment of %i bytes comes out as it went in',
  (size) => {
    const content = Buffer.alloc(size, 'abc\r\n\0\xff', 'latin1')
    const file = { filename: null, contentType: 'application/octet-stream', contentId: null, content }
    const mime = buildMime({ ...minimal, attachments: [file] }, stamp)

    expect(readMime(mime).parts[1]!.content.equals(content)).toBe(true)
    expect(faultsOf(mime)).toEqual([])
  },
)
