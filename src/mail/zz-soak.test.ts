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
    { numRuns: 6000 },
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
    { numRuns: 6000 },
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
