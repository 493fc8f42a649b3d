import { expect, test } from 'vitest'
import { parseMail, readHeaderFields } from '../parse.ts'
import { readReport } from '../report.ts'

// Each of these would take minutes, or all memory, if one step of reading took more than its share. They end, or the test does not.
const MEGABYTE = 1_048_576
const mixed = 'Content-Type: multipart/mixed; boundary=b\n\n'
const repeated = (piece: string, bytes: number) => Buffer.alloc(bytes, piece)
const mail = (...pieces: (string | Buffer)[]) => Buffer.concat(pieces.map((piece) => Buffer.from(piece)))

test('of 10,000 parts the first 1,000 are kept', async () => {
  const { attachments, faults } = await parseMail(
    mail(mixed, '--b\nContent-Type: a/b\n\nx\n'.repeat(10_000), '--b--\n'),
  )

  expect(attachments).toHaveLength(999)
  expect(faults).toEqual(['The message has more than 1000 parts; the others were left out'])
})

test('of 100 levels the first 20 are taken apart, the rest is one file', async () => {
  const levels = Array.from({ length: 100 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`)
  const { attachments, text, faults } = await parseMail(mail('Subject: deep\n', ...levels, '\nat last\n'))

  expect(attachments).toHaveLength(1)
  expect(attachments[0]).toMatchObject({ contentType: 'multipart/mixed', disposition: 'attachment' })
  expect(text).toBeNull()
  expect(faults).toContain('The message has more than 20 levels of parts; the rest is kept as a file')
})

test('8 MB of base64 are 6 MB, once', async () => {
  const { attachments, faults } = await parseMail(
    mail(
      'Content-Type: a/b\nContent-Transfer-Encoding: base64\n\n',
      repeated(`${'QUJD'.repeat(19)}\r\n`, 8 * MEGABYTE),
    ),
  )

  expect(attachments[0]!.content.length).toBeCloseTo(((8 * MEGABYTE) / 78) * 57, -1)
  expect(faults).toEqual([])
})

test('padding in each piece of base64 makes it no longer', async () => {
  const { attachments } = await parseMail(
    mail('Content-Type: a/b\nContent-Transfer-Encoding: base64\n\n', repeated('QQ==', MEGABYTE)),
  )

  expect(attachments[0]!.content.equals(repeated('A', MEGABYTE / 4))).toBe(true)
})

test('text ends after 16 MB', async () => {
  const { text, faults } = await parseMail(mail('Subject: long\n\n', repeated('word ', 20 * MEGABYTE)))

  expect(text).toHaveLength(16 * MEGABYTE)
  expect(faults).toEqual(['The text was cut off after 16 MB'])
})

test('of 100,000 fields the first 1,000 are kept, and the body is found', async () => {
  const raw = mail('Subject: many\n', 'X: y\n'.repeat(100_000), '\nText\n')
  const { headers, text, faults } = await parseMail(raw)

  expect(headers).toHaveLength(1_000)
  expect(text).toBe('Text\n')
  expect(faults).toEqual(['The header of the message is too long; the end was left out'])
  expect(readHeaderFields(raw).headers).toEqual(headers)
})

test.each([
  ['in one line', 'y'.repeat(MEGABYTE)],
  ['folded', 'y\n '.repeat(MEGABYTE / 3)],
])('of a header of 1 MB %s the first 256 kB are kept', async (_, value) => {
  const raw = mail(`Subject: long\nX: ${value}\nTo: ada@example.com\n\nText\n`)
  const { headers, to, text, faults } = await parseMail(raw)

  expect(headers.map(({ name }) => name)).toEqual(['subject', 'x'])
  expect(headers[1]!.value.length).toBeLessThan(256 * 1_024)
  expect([to, text]).toEqual([[], 'Text\n'])
  expect(faults).toEqual(['The header of the message is too long; the end was left out'])
  expect(readHeaderFields(raw).headers).toEqual(headers)
})

test('a very long line is a line', async () => {
  const line = 'x'.repeat(5 * MEGABYTE)

  expect((await parseMail(mail('Subject: x\n\n', line))).text).toBe(line)
})

test.each([
  ['empty lines', mail('Subject: x\n\n', repeated('\n', 4 * MEGABYTE))],
  ['dashes', mail(mixed, repeated('--\n', 3 * MEGABYTE))],
  ['lines like boundaries', mail(mixed, repeated('--bb\n', 3 * MEGABYTE))],
  ['lines that flow', mail('Content-Type: text/plain; format=flowed\n\n', repeated('a \n', 2 * MEGABYTE))],
  ['quotes that change', mail('Content-Type: text/plain; format=flowed\n\n', repeated('>\n>>\n', 2 * MEGABYTE))],
  ['Windows-1252', mail('Content-Type: text/plain; charset=windows-1252\n\n', Buffer.alloc(4 * MEGABYTE, 0x80))],
  ['switches', mail('Content-Type: text/plain; charset=iso-2022-jp\n\n', repeated('\x1b$B\x1b(B', 4 * MEGABYTE))],
  ['UTF-7', mail('Content-Type: text/plain; charset=utf-7\n\n', repeated('+AD4-', 4 * MEGABYTE))],
  ['short lines of uuencode', mail('Content-Transfer-Encoding: x-uue\n\nbegin 644 a\n', repeated('M\n', MEGABYTE))],
  ['lines of a header', mail('Subject: x\n', repeated('X: y\n', 4 * MEGABYTE))],
  ['comments that are html', mail(mixed, '--b\n\nx\n--b\nContent-Type: text/html\n\n', repeated('<!--', 4 * MEGABYTE))],
  ['escapes', mail('Content-Transfer-Encoding: quoted-printable\n\n', repeated('=41= \n', 4 * MEGABYTE))],
  ['headers of parts', mail(mixed, repeated(`--b\nContent-Type: a/b; ${'a="b";'.repeat(3_000)}\n\n`, 3 * MEGABYTE))],
])('much of what costs little, %s, ends', async (_, raw) => {
  const { text, html, attachments } = await parseMail(raw)

  expect((text ?? '').length + (html ?? '').length).toBeLessThanOrEqual(2 * raw.length)
  expect(attachments.length).toBeLessThan(1_000)
})

const KILOBYTES_256 = 256 * 1_024 - 100
test.each(['a-', 'a@b,', 'a:', '(', '()', '<"', '"\\', '<a', '<@a,', '[@:', '=?a?q?', '=?u?b?YQ==?= ', '=?x?q?=?='])(
  'addresses and words made of %j end',
  (piece) => {
    const value = piece.repeat(KILOBYTES_256 / piece.length / 2)
    const { to, subject } = readHeaderFields(mail(`To: ${value}\nSubject: ${value}\n\n`))

    expect(to.join('').length + subject!.length).toBeLessThanOrEqual(4 * KILOBYTES_256)
  },
)

test.each([
  ['addresses', 'a@b.example '],
  ['sentences', `${'message user address '.repeat(10)}to a@b.example\n`],
  ['codes', `${'550 '.repeat(200)}a@b.example\n`],
  ['white space', `${' '.repeat(500)}a@b.example\n`],
  ['empty lines', '\n'],
  ['headers that are none', 'From: a\nTo: b\nSubject: c\n\n'],
  ['recipients', 'Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.1.1\n\n'],
  ['reasons to come', 'a@b.example\nbecause:\n\n'],
  ['tags', '<p '],
])('a bounce made of %s ends', async (_, piece) => {
  for (const type of ['text/plain', 'text/html', 'message/delivery-status']) {
    const head = `From: mailer-daemon@example.net\nSubject: undelivered mail\nContent-Type: ${type}\n\n`
    const raw = mail(head, repeated(piece, MEGABYTE))

    const report = readReport(await parseMail(raw), raw)

    expect(report?.kind).toBe('bounce')
    expect(JSON.stringify(report).length).toBeLessThan(2 * MEGABYTE)
  }
})

test('what is long is read in steps, and others have their turn', async () => {
  const raw = mail(
    mixed,
    '--b\nContent-Type: text/plain; format=flowed; charset=windows-1252\n\n',
    repeated('\x80 \n', MEGABYTE),
  )
  let count = 0
  const { text } = await parseMail(raw, (steps) => {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      count += 1
    }
  })

  expect(text!.length).toBeGreaterThan(MEGABYTE / 4)
  expect(count).toBeGreaterThan(30)
})

test('when reading the body fails, the header is there all the same', async () => {
  const raw = mail('Subject: still here\n\nText\n')
  raw.subarray = () => {
    throw new Error('out of luck')
  }

  expect(await parseMail(raw)).toMatchObject({
    ...{ subject: 'still here', text: null, html: null, attachments: [] },
    faults: ['The body could not be read: out of luck'],
  })
})
