import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arbitraryMessage } from '../golden/arbitrary-message.ts'
import type { Mailbox } from '../message.ts'
import { buildMime } from '../mime.ts'
import { parseMail, readHeaderFields } from '../parse.ts'

const stamp = { messageId: '<1@example.com>', date: new Date('2025-07-01T12:00:00Z'), seed: 'seed' }

const lines = (text: string) => text.replace(/\r\n?/g, '\n').trimEnd()

function asText({ name, address }: Mailbox): string {
  if (name === null) return address
  return `${/[()<>[\]:;@\\,"]/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name} <${address}>`
}

test('what our builder writes is read as it was meant', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryMessage, async (message) => {
      // In a name of ASCII it could be one that somebody should not have put there, and mostly is.
      fc.pre(message.attachments.every(({ filename }) => !filename!.includes('=?')))
      const mail = await parseMail(buildMime(message, stamp))

      expect(mail.faults).toEqual([])
      expect(mail.from).toBe(asText(message.from))
      expect([mail.to, mail.cc, mail.replyTo]).toEqual(
        [message.to, message.cc, message.replyTo].map((people) => people.map(asText)),
      )
      expect(mail.subject).toBe(message.subject)
      expect([mail.messageId, mail.date]).toEqual([stamp.messageId, stamp.date])
      if (message.html) expect(lines(mail.html!)).toBe(lines(message.html))
      if (message.text) expect(lines(mail.text!)).toBe(lines(message.text))
      expect(mail.attachments.map(({ filename, content }) => [filename, content.toString('hex')]).sort()).toEqual(
        message.attachments.map(({ filename, content }) => [filename, content.toString('hex')]).sort(),
      )
    }),
    { numRuns: 100 },
  )
})

test('any bytes are a mail, and the header alone says the same as all of it', async () => {
  const piece = fc.constantFrom(
    '\n',
    '\r\n',
    'From:',
    'To: ',
    'a@b',
    '<',
    '>',
    '"',
    ',',
    '=?utf-8?q?',
    '?=',
    ' ',
    '\0',
    'é',
  )
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((some) => Buffer.from(some)),
    fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join(''))),
  )
  await fc.assert(
    fc.asyncProperty(bytes, async (raw) => {
      expect(await parseMail(raw)).toMatchObject(readHeaderFields(raw))
    }),
    { numRuns: 200 },
  )
})
