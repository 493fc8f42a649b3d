import fc from 'fast-check'
import { safeFilename } from '../filename.ts'
import type { Attachment, Mailbox, Message } from '../message.ts'

// Words from all over, and what is special to mail: quotes, encoded words, boundaries, white space at the wrong places.
const word = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '=?utf-8?q?x?=',
    '"',
    '\\',
    'From ',
    '.',
    '--=_seed_mixed',
    '👩‍👩‍👧',
    '年次報告書',
    '=',
    '\u00a0',
    'x'.repeat(90),
  ),
)

/** One line without control characters, with no white space at its ends: what a header gives back as it was. */
const line = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) =>
  words
    .join(' ')
    .replace(/\p{Cc}/gu, '')
    .trim(),
)

const text = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: line },
      { weight: 1, arbitrary: fc.constantFrom('', ' ', '\t', 'y'.repeat(1_200)) },
    ),
    {
      maxLength: 12,
    },
  )
  .chain((lines) => fc.constantFrom('\n', '\r\n').map((lineEnd) => lines.join(lineEnd)))

const address = fc.constantFrom(
  'ada@example.com',
  'Grace.Hopper+x@mail.example.org',
  'a@b.example',
  "o'neil@example.net",
)

const mailbox: fc.Arbitrary<Mailbox> = fc
  .record({ name: fc.option(line.map((name) => name.slice(0, 200).toWellFormed())), address })
  .map(({ name, address }) => ({ name: name?.trim() || null, address }))

const attachment: fc.Arbitrary<Attachment> = fc.record({
  filename: line.map(safeFilename),
  contentType: fc.constantFrom('application/pdf', 'image/png', 'application/octet-stream'),
  contentId: fc.option(fc.constantFrom('logo', 'image001.png@01D9.ABCD')),
  content: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
})

export const arbitraryMessage: fc.Arbitrary<Message> = fc.record({
  from: mailbox,
  to: fc.array(mailbox, { minLength: 1, maxLength: 4 }),
  cc: fc.array(mailbox, { maxLength: 2 }),
  replyTo: fc.array(mailbox, { maxLength: 2 }),
  subject: line,
  html: fc.option(text),
  text: fc.option(text),
  headers: fc.array(
    fc.record({
      name: fc.constantFrom('X-One', 'X-Two', 'X-Header-With-A-Long-Name-That-Goes-On-And-On'),
      value: line,
    }),
    { maxLength: 2 },
  ),
  attachments: fc.array(attachment, { maxLength: 3 }),
})
