import { expect, test } from 'vitest'
import { seededRandom } from '../../../test/harness/random.ts'
import { safeFilename } from '../filename.ts'
import { parseMail, readHeaderFields } from '../parse.ts'
import type { ParsedMail } from '../parsed.ts'
import { bounceTypeOf } from '../replies/diagnostic.ts'
import { readReport } from '../report.ts'
import { corpus } from './golden/corpus.ts'

const CASES = 400

// What means something to a reader of mail, in all the wrong places.
const TOKENS = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\r\n\r\n',
    '\n\n',
    '\0',
    '\t',
    ' ',
    ':',
    ';',
    ',',
    '"',
    '\\',
    '<',
    '>',
    '(',
    '@',
    '=',
    '%',
    "'",
  ],
  ...['--', '\n--b\n', '\n--b--\n', '=?utf-8?q?', '?=', '=?utf-8?b?', '\ufeff', '\ud83d\ude00', '=\n', '=ZZ', 'é'],
  ...['Content-Type: multipart/mixed; boundary=b\n', 'Content-Type: message/delivery-status\n\n', 'charset=utf-16;'],
  ...[
    'Content-Transfer-Encoding: base64\n',
    "name*0*=utf-8''%",
    'Final-Recipient: rfc822;a@b.example\nStatus: 5.1.1\n',
  ],
  ...['\x1b$B', '\x1b(J', '\x0e', '\x0f', '~{', '+2D', 'charset=utf-7;', 'charset=iso-2022-jp;', 'charset=hz;', '\xff'],
  ...['Content-Transfer-Encoding: x-uuencode\n\nbegin 644 a\n', '\n \n', '=?iso-2022-jp?b?GyRC?= ', 'format=flowed;'],
  ...['From: mailer-daemon@example.net\n', 'x'.repeat(5_000), '('.repeat(2_000), '"\\'.repeat(1_000), '> '.repeat(500)],
].map((token) => Buffer.from(token))

const random = seededRandom()
const pick = <Item>(items: readonly Item[]) => items[random.below(items.length)]!

/** Cuts, doubles, inserts, overwrites, joins: one to eight times. */
function mutated(): Buffer {
  let bytes = Buffer.from(pick(corpus).raw)
  for (let left = 1 + random.below(8); left > 0; left -= 1) {
    const at = random.below(bytes.length + 1)
    const to = Math.min(bytes.length, at + random.below(200))
    const [before, between, behind] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)]
    bytes = Buffer.concat(
      pick([
        [before, behind],
        [before, between, between, behind],
        [before, pick(TOKENS), between, behind],
        [before, pick(TOKENS), behind],
        [before, Buffer.from(between.map((byte) => byte ^ (1 << random.below(8)))), behind],
        [before, pick(corpus).raw.subarray(0, 2_000), behind],
        [before],
      ]),
    )
  }
  return bytes
}

function textsOf({ attachments, ...mail }: ParsedMail): string[] {
  const texts: string[] = []
  const collect = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value)
    else if (value !== null && typeof value === 'object') Object.values(value).forEach(collect)
  }
  collect(mail)
  collect(attachments.map(({ content, ...about }) => about))
  return texts
}

test(`${CASES} mails with something broken are read, and all they say can be stored`, async () => {
  for (let i = 0; i < CASES; i += 1) {
    const raw = mutated()

    const mail = await parseMail(raw)
    const report = readReport(mail, raw)

    expect(mail).toMatchObject(readHeaderFields(raw))
    expect(textsOf(mail).filter((text) => !text.isWellFormed() || text.includes('\0'))).toEqual([])
    for (const { filename } of mail.attachments) if (filename !== null) expect(safeFilename(filename)).toBe(filename)
    // Twice the header (as fields and as text), each byte of the body in one place; a byte is at most a few as html.
    const size = textsOf(mail).join('').length + mail.attachments.reduce((sum, { content }) => sum + content.length, 0)
    expect(size).toBeLessThan(10_000 + 12 * raw.length)
    if (report?.kind === 'bounce')
      for (const { status, diagnostic } of report.recipients) bounceTypeOf(status, diagnostic)
  }
})
