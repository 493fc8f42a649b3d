import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import { parseMail } from '../parse.ts'
import type { ParsedMail } from '../parsed.ts'
import { corpus } from './golden/corpus.ts'

// Where we mean to read something else than postal-mime 4.0 does, and why.
const OTHERWISE: Record<string, readonly string[]> = {
  'what is an address, and what is a name': ['addresses-broken', 'author-without-address', 'no-sender'],
  'white space, routes and quotes are not part of an address': ['addresses'],
  'a boundary may be guessed, and what has none is shown': ['boundary-missing', 'boundary-never', 'near-boundary-lost'],
  'commas are forgotten, and comments are no part of an address': ['addresses-comments', 'addresses-without-commas'],
  'a boundary or a text may follow the header at once': [
    ...['separator-missing', 'separator-missing-text', 'separator-white', 'separator-white-text'],
  ],
  'uuencode, UTF-7 and what switches between sets are known': [
    ...['charset-hz', 'charset-iso-2022-kr', 'charset-utf-7', 'encoded-words-divided', 'uuencode-transfer'],
  ],
  'the body says what the header is written in': [
    ...['header-7bit-japanese', 'header-8bit-charset', 'header-8bit-parts', 'header-gb2312', 'header-shift-jis'],
  ],
  'names that say nothing do not hide others': ['filename-empty'],
  'html may name its character set': ['charset-in-the-html'],
  'Windows-1252 is more than TextDecoder of Node 20 makes of it': [
    ...['charset-windows-1252', 'charset-latin1-that-is-windows'],
  ],
  'a wrong or unknown character set is not believed': [
    ...['charset-unknown', 'charset-unsaid-windows', 'charset-wrongly-ascii', 'header-8bit'],
  ],
  'encoded words are written in more ways': ['encoded-words', 'encoded-words-broken', 'encoded-words-raw'],
  'names of files are safe': ['filename-hostile', 'attachment-names-hostile'],
  'quoted lines flow too': ['flowed'],
  'text with a name is a file': ['inline-text-file', 'near-wrong-type'],
  'what has no header is text': ['no-header'],
  'no NUL gets through': ['nul-and-controls', 'line-ends'],
  'a type that is none is text or a file': ['parts-odd'],
  'white space may follow the end of a line': ['quoted-printable-broken'],
  'html is made of text in other words': ['empty-parts', 'footer'],
}
const otherwise = new Set(Object.values(OTHERWISE).flat())

const flat = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim()

function ours({ subject, to, cc, replyTo, text, html, attachments }: ParsedMail) {
  const bare = (addresses: readonly string[]) => addresses.map((address) => address.replace(/^.*<(.*)>$/, '$1'))
  return {
    subject: flat(subject),
    people: [bare(to), bare(cc), bare(replyTo)],
    text: flat(text),
    html: flat(html),
    files: attachments.map(({ contentType, filename, contentId, content }) => [
      ...[contentType, filename, contentId],
      flat(content.toString('latin1')),
    ]),
  }
}

async function theirs(raw: Buffer) {
  const { subject, to, cc, replyTo, text, html, attachments } = await PostalMime.parse(raw, {
    forceRfc822Attachments: true,
  })
  const bare = (addresses: typeof to) =>
    (addresses ?? []).flatMap(({ group, address }) => group?.map((member) => member.address) ?? [address])
  return {
    subject: flat(subject),
    people: [bare(to), bare(cc), bare(replyTo)],
    text: flat(text),
    html: flat(html),
    files: attachments.map(({ mimeType, filename, contentId, content }) => [
      ...[mimeType, filename, contentId?.replace(/^<|>$/g, '') ?? null],
      flat(Buffer.from(content as ArrayBuffer).toString('latin1')),
    ]),
  }
}

test.each(corpus.filter(({ name }) => !otherwise.has(name)))(
  'another reader reads the same in $name',
  async ({ raw }) => {
    expect(ours(await parseMail(raw))).toEqual(await theirs(raw))
  },
)
