import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { parseMailbox } from './address.ts'
import { signDkim } from './dkim.ts'
import { ED25519 } from './golden/golden-case.ts'
import { readMime } from './golden/mime-reader.ts'
import { verdictsOn } from './golden/verify.ts'
import { parseMail } from './parse.ts'
import { atOnce } from './steps.ts'
import type { OutgoingOptions } from './submitted/outgoing.ts'
import { outgoingSteps } from './submitted/outgoing.ts'
import { readSubmitted, type SubmittedMail } from './submitted.ts'
import type { Tracker } from './tracked-html.ts'

const OURS = '<ours@example.com>'
const NOON = new Date('2026-11-15T12:00:00Z')
const BASE = [
  'From: Ada <ada@example.com>',
  'To: bob@example.org',
  'Subject: Hi',
  'Date: Sun, 15 Nov 2026 01:20:30 +0000',
]
const WHOLE = [...BASE, 'Message-ID: <one@example.com>', 'MIME-Version: 1.0']
const message = (headers: readonly string[], ...body: string[]) =>
  Buffer.from(`${headers.join('\r\n')}\r\n\r\n${body.map((line) => `${line}\r\n`).join('')}`, 'latin1')

const TRACKER: Tracker = {
  pixelUrl: 'https://t.dev/o',
  linkUrl: (target) => `https://t.dev/c?${encodeURIComponent(target)}`,
}

async function read(raw: Buffer): Promise<SubmittedMail> {
  const submitted = await readSubmitted(raw)
  if ('refusal' in submitted) throw new Error(submitted.refusal)
  return submitted
}

async function outgoing(raw: Buffer, options: Partial<OutgoingOptions> = {}): Promise<Buffer> {
  const { mail, layout } = await read(raw)
  const stamp = { from: parseMailbox(mail.from)!, messageId: mail.messageId ?? OURS, date: NOON, added: [] }
  // As it comes out of the database.
  const stored = JSON.parse(JSON.stringify(layout))
  return atOnce(outgoingSteps(raw, stored, { stamp, tracker: null, isSevenBit: false, ...options }))
}

const refusal = async (raw: Buffer) => {
  const submitted = await readSubmitted(raw)
  return 'refusal' in submitted ? submitted : null
}

const headerOf = (raw: Buffer) => raw.toString('latin1', 0, raw.indexOf('\r\n\r\n')).split('\r\n')

const INVITATION = message(
  [...WHOLE, 'Content-Type: multipart/mixed; boundary=m'],
  '--m',
  'Content-Type: multipart/alternative; boundary="a b"',
  '',
  '--a b',
  'Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes',
  '',
  'Come over ',
  'for lunch.  ',
  '--a b',
  'content-type: TEXT/X-AMP-HTML; charset=utf-8',
  '',
  '<!doctype html><html amp4email></html>',
  '--a b',
  'Content-Type: text/html',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<a href=3D"https://example.com/=',
  'a">Gr=FC=DFe</a>',
  '--a b',
  'Content-Type: text/calendar; charset=utf-8; method=REQUEST',
  'Content-Transfer-Encoding: 8bit',
  '',
  'BEGIN:VCALENDAR',
  'SUMMARY:Gr\xc3\xbc\xc3\x9fe',
  'END:VCALENDAR',
  '--a b--',
  '--m',
  "Content-Type: application/pdf; name*0*=utf-8''Gr%C3%BC; name*1*=%C3%9Fe%20.pdf",
  'Content-Disposition: attachment; filename="=?utf-8?Q?Gr=C3=BC=C3=9Fe?=.pdf"',
  'Content-Transfer-Encoding: BASE64',
  '',
  'aGVsbG8=',
  '--m--',
  'a last word',
)

describe('a submitted message', () => {
  test('leaves byte for byte when nothing is missing', async () => {
    expect((await outgoing(INVITATION)).toString('latin1')).toBe(INVITATION.toString('latin1'))
    const bare = message(WHOLE)
    expect((await outgoing(bare)).equals(bare)).toBe(true)
  })

  test('keeps its headers: their order, their letters, those that are there twice', async () => {
    const own = [
      'X-TAG: one',
      'comments: first',
      'Received: from a by b',
      'x-Tag: two',
      'Comments: =?utf-8?q?sec?=',
      ' ond',
      'Sender: list@example.com',
    ]
    const raw = message([...own, ...WHOLE, 'DKIM-Signature: v=1; d=example.com; b=abc'], 'Hi')

    expect((await outgoing(raw)).equals(raw)).toBe(true)
  })

  test('gets what is missing, and loses what is not for those who get it', async () => {
    const raw = message(
      [
        'Bcc: eve@example.org,',
        ' mallory@example.org',
        'Return-Path: <x@example.com>',
        'Resend-Idempotency-Key: 1',
        'X-Postwren-Anything: 1',
        'From: ada@example.com',
        'Subject: Hi',
        'Content-Type: text/plain',
      ],
      'Hi',
    )

    expect(headerOf(await outgoing(raw))).toEqual([
      'From: ada@example.com',
      'Subject: Hi',
      'Content-Type: text/plain',
      'Date: Sun, 15 Nov 2026 12:00:00 +0000',
      `Message-ID: ${OURS}`,
      'MIME-Version: 1.0',
      'To: undisclosed-recipients:;',
    ])
  })

  test('has one meaning: what is no field, and what is there once too often, does not leave', async () => {
    const raw = message(
      ['>From ada', ...WHOLE, 'Subject: Other', 'X-A: 1', ' \t', ' 2', 'no field', ' goes on', 'X-B : 3'],
      'Hi',
    )

    expect(headerOf(await outgoing(raw))).toEqual([...WHOLE, 'X-A: 1', ' 2', 'X-B: 3'])
  })

  test.each([
    'From: Ada <ada@example.com>',
    'FROM: =?utf-8?q?Ad=C3=A4?= <ADA@example.com>',
    'From: "Ada, \\"A\\"" <ada@example.com>',
    'from:\r\n ada@example.com',
  ])('whose sender is spelled %j has it so', async (from) => {
    expect((await outgoing(message([from, ...WHOLE.slice(1)], 'Hi'))).toString('latin1')).toContain(`${from}\r\nTo:`)
  })

  test.each([
    'From: ada@example.com (<eve@example.org>)',
    'From: "eve@example.org" ada@example.com',
    'From: Eve (eve@example.org) <ada@example.com>',
  ])('in whose %j some would see another sender gets it in a plain spelling', async (from) => {
    const [line] = headerOf(await outgoing(message([from, ...WHOLE.slice(1)], 'Hi')))

    expect(line).toMatch(/^From: (?:(?:"[^"]*"|[\w ]+) <ada@example\.com>|ada@example\.com)$/)
  })

  test('a header beyond ASCII is encoded, and one that is too long folded', async () => {
    const long = Array.from({ length: 100 }, (_, n) => `<${n}@example.com>`).join(' ')
    const names = Array.from({ length: 100 }, (_, n) => `a${n}@example.com`).join(',')
    const raw = message(
      [
        ...WHOLE.filter((line) => !/^(To|Subject)/.test(line)),
        'Subject: Gr\xc3\xbc\xc3\x9fe',
        'To: Bj\xf6rn <b@example.org>',
        `References: ${long}`,
        `Cc: ${names}`,
        `X-Long: ${'x'.repeat(2_000)}`,
      ],
      'Hi',
    )

    const out = await outgoing(raw)

    expect(headerOf(out).every((line) => line.length < 999 && /^[\x20-\x7e]*$/.test(line))).toBe(true)
    const { subject, to, cc, headers } = await parseMail(out)
    expect({ subject, to }).toEqual({ subject: 'Grüße', to: ['Björn <b@example.org>'] })
    expect(cc).toHaveLength(100)
    expect(headers.find(({ name }) => name === 'references')!.value).toBe(long)
    expect(headers.find(({ name }) => name === 'x-long')!.value).toBe('x'.repeat(2_000))
  })

  test('stays signed by whoever signed it, and is signed by us', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const part = Buffer.from(
      'Content-Type: text/html\r\n\r\n<a href="https://example.com/">Look</a> \r\n\tyes =3D\r\n\r\n',
      'latin1',
    )
    const signature = sign(null, part, privateKey).toString('base64')
    const raw = message(
      [...WHOLE, 'Content-Type: multipart/signed; protocol="application/pgp-signature"; micalg=x; boundary=s'],
      '--s',
      `${part.toString('latin1')}`,
      '--s',
      'Content-Type: application/pgp-signature',
      '',
      signature,
      '--s--',
    )

    const out = await outgoing(raw, { tracker: TRACKER, isSevenBit: true })

    expect(out.equals(raw)).toBe(true)
    const text = out.toString('latin1')
    const received = text.slice(text.indexOf('--s\r\n') + 5, text.lastIndexOf('\r\n--s\r\n'))
    expect(verify(null, Buffer.from(received, 'latin1'), publicKey, Buffer.from(signature, 'base64'))).toBe(true)
    const signed = Buffer.concat([await signDkim(out, [ED25519], { date: NOON }), out])
    expect(await verdictsOn(signed, [ED25519])).toEqual(['pass'])
  })
})

describe('tracking', () => {
  test('changes the html in its own encoding and charset, and nothing else', async () => {
    const out = await outgoing(INVITATION, { tracker: TRACKER })

    const [, , changed] = readMime(out).parts[0]!.parts
    expect(changed!.content.toString('latin1')).toBe(
      '<a href="https://t.dev/c?https%3A%2F%2Fexample.com%2Fa">Gr\xfc\xdfe</a><img src="https://t.dev/o" width="1" height="1" alt="" style="border:0;margin:0;padding:0">',
    )
    const others = (raw: Buffer) => raw.toString('latin1').replace(/quoted-printable\r\n\r\n.*?\r\n--a b/s, '')
    expect(others(out)).toBe(others(INVITATION))
  })

  test.each([
    ['base64', Buffer.from('<a href="https://example.com/ü">x</a>').toString('base64')],
    ['8bit', Buffer.from('<a href="https://example.com/ü">x</a>').toString('latin1')],
  ])('works in %s', async (encoding, content) => {
    const raw = message(
      [...WHOLE, 'Content-Type: text/html; charset=utf-8', `Content-Transfer-Encoding: ${encoding}`],
      content,
    )

    const out = await outgoing(raw, { tracker: TRACKER })

    expect(headerOf(out)).toEqual(headerOf(raw))
    expect((await parseMail(out)).html).toContain('href="https://t.dev/c?https%3A%2F%2Fexample.com%2F%C3%BC"')
  })

  test('takes away signatures of a body that is not the same any more', async () => {
    const raw = message([...WHOLE, 'DKIM-Signature: v=1; b=x', 'Content-Type: text/html'], '<p>Hi')

    expect(headerOf(await outgoing(raw, { tracker: TRACKER })).join()).not.toContain('DKIM')
    expect(headerOf(await outgoing(raw)).join()).toContain('DKIM')
  })

  test('leaves alone what it cannot read, what is attached, and what is inside of another message', async () => {
    const html = '<a href="https://example.com/">x</a>'
    const untouched = [
      message([...WHOLE, 'Content-Type: text/html; charset=iso-2022-jp'], html),
      message([...WHOLE, 'Content-Type: text/html; charset=utf-7'], html),
      message([...WHOLE, 'Content-Type: text/html', 'Content-Disposition: attachment; filename=a.html'], html),
      message([...WHOLE, 'Content-Type: text/html', 'Content-Transfer-Encoding: x-uuencode'], html),
      message([...WHOLE, 'Content-Type: message/rfc822'], 'Content-Type: text/html', '', html),
      message([...WHOLE, 'Content-Type: multipart/mixed; boundary=m'], '--m', 'Content-Type: text/html', '', html),
    ]

    for (const raw of untouched) expect((await outgoing(raw, { tracker: TRACKER })).equals(raw)).toBe(true)
  })
})

describe('what servers do not carry', () => {
  const LONG = 'x'.repeat(1_200)

  test('is encoded: a line that is too long, in text, in a file, in base64 and in a message', async () => {
    const base64 = Buffer.alloc(3_000, 'abc').toString('base64')
    const raw = message(
      [...WHOLE, 'Content-Type: multipart/mixed; boundary=m'],
      ...[
        '--m',
        'Content-Type: text/plain; charset=iso-8859-1',
        'Content-Transfer-Encoding: 8bit',
        '',
        `\xfc= ${LONG}`,
      ],
      ...['--m', 'Content-Type: application/x-thing; name=a', '', `${LONG}\0`],
      ...['--m', 'Content-Type: image/png', 'Content-Transfer-Encoding: base64', '', base64],
      ...['--m', 'Content-Type: message/rfc822; name="a b.eml"', '', 'Subject: x', '', LONG],
      ...['--m', 'Content-Type: text/plain', '', 'short'],
      '--m--',
    )

    const out = await outgoing(raw)

    expect(
      out
        .toString('latin1')
        .split('\r\n')
        .every((line) => line.length < 999 && !line.includes('\0')),
    ).toBe(true)
    const { parts } = readMime(out)
    expect(parts.map(({ type }) => type)).toEqual([
      ...['text/plain', 'application/x-thing', 'image/png', 'application/octet-stream', 'text/plain'],
    ])
    expect(parts[0]!.content.toString('latin1')).toBe(`\xfc= ${LONG}`)
    expect(parts[1]!.content.toString()).toBe(`${LONG}\0`)
    expect(parts[2]!.content.toString()).toBe('abc'.repeat(1_000))
    expect(parts[3]!.content.toString()).toBe(`Subject: x\r\n\r\n${LONG}`)
    expect(out.toString('latin1')).toContain('Content-Type: text/plain\r\n\r\nshort\r\n--m--')
  })

  test('is encoded in a message of one part, too', async () => {
    const out = await outgoing(message([...BASE, 'Content-Type: text/html'], LONG))

    expect(headerOf(out).slice(4)).toEqual([
      'Content-Type: text/html',
      'Content-Transfer-Encoding: quoted-printable',
      `Message-ID: ${OURS}`,
      'MIME-Version: 1.0',
    ])
    expect((await parseMail(out)).html).toBe(`${LONG}\n`)
  })

  test('stays 8-bit for those who take it, and is 7-bit for those who do not', async () => {
    expect((await outgoing(INVITATION)).includes(0xc3)).toBe(true)

    const out = await outgoing(INVITATION, { isSevenBit: true })

    expect(out.every((byte) => byte < 0x80)).toBe(true)
    expect(readMime(out).parts[0]!.parts[3]!.content.toString()).toContain('SUMMARY:Grüße')
    expect(out.toString()).toContain('Content-Type: text/calendar; charset=utf-8; method=REQUEST\r\n')
  })

  test('is refused where encoding it would break a signature', async () => {
    const signed = [...WHOLE, 'Content-Type: multipart/signed; boundary=s']

    for (const content of [LONG, 'a\0b'])
      expect(await refusal(message(signed, '--s', '', content, '--s', '', 'sig', '--s--'))).toMatchObject({
        refusal: expect.stringContaining('cannot be encoded'),
      })
  })
})

describe('a hostile header', () => {
  test.each<[string, Buffer, string]>([
    ['with two senders', message(['From: a@example.com', ...WHOLE], 'Hi'), 'one sender'],
    ['with a list of senders', message(['From: a@example.com, b@example.com', ...WHOLE.slice(1)], 'Hi'), 'one sender'],
    ['with a NUL', message([...WHOLE, 'X-A: a\0b'], 'Hi'), 'control characters'],
    ['with a CR of its own', message([...WHOLE, 'X-A: a\rBcc: b'], 'Hi'), 'control characters'],
    ['of 2 MB', message([...WHOLE, `X-A: ${'a '.repeat(1_000_000)}`], 'Hi'), 'larger than 100000 bytes'],
    ['of 2 MB that never ends', Buffer.from('DKIM-Signature: a=b\r\n'.repeat(100_000)), 'more than 500 fields'],
    ['with a thousand fields', message([...WHOLE, ...Array(1_000).fill('X-A: a')], 'Hi'), 'more than 500 fields'],
    ['that goes in circles', message([...Array(51).fill('Received: from a by a'), ...WHOLE], 'Hi'), 'circle'],
  ])('%s is refused', async (_what, raw, words) => {
    expect(await refusal(raw)).toMatchObject({ refusal: expect.stringContaining(words) })
  })

  test('of fifty hops is let through', async () => {
    expect(await refusal(message([...Array(50).fill('Received: from a by a'), ...WHOLE], 'Hi'))).toBe(null)
  })
})
