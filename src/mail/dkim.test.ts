import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dkimRecord, signDkim } from './dkim.ts'
import { arbitraryMessage } from './golden/arbitrary-message.ts'
import { ED25519, RSA } from './golden/golden-case.ts'
import { verdictsOn } from './golden/verify.ts'
import { buildMime } from './mime.ts'

const date = new Date('2025-02-03T04:05:06Z')
const signed = async (message: Buffer, signers = [ED25519]) =>
  Buffer.concat([await signDkim(message, signers, { date }), message])

test('the signatures on any message hold', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryMessage, async (message) => {
      const mime = buildMime(message, { messageId: '<1@example.com>', date, seed: 'seed' })

      expect(await verdictsOn(await signed(mime, [RSA, ED25519]), [RSA, ED25519])).toEqual(['pass', 'pass'])
    }),
    { numRuns: 20 },
  )
})

test('white space in any place is canonical as another implementation has it', async () => {
  const piece = fc.constantFrom(
    ' ',
    '  ',
    '\t',
    '\r\n',
    '\r\n\r\n',
    'a',
    'Zw==',
    'é',
    '-',
    'base64'.repeat(12),
    '\r\n'.repeat(3),
  )
  const body = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))
  await fc.assert(
    fc.asyncProperty(body, body, async (start, end) => {
      // Long enough in the middle for more than one chunk, with and without white space.
      const middle = start.length % 2 === 0 ? '' : `\r\n${'QUJD'.repeat(19)}`.repeat(300) + `\r\n a  b\t`.repeat(2_000)
      const message = Buffer.from(
        `From: a@example.com\r\nSubject: \t a  \r\n\t b\r\nX: y\r\n\r\n${start}${middle}${end}`,
      )

      expect(await verdictsOn(await signed(message), [ED25519])).toEqual(['pass'])
    }),
    { numRuns: 50 },
  )
})

test.each([
  'From: a@example.com\r\n\r\n',
  'From: a@example.com\r\n',
  'From: jörgà\r\nTo: à\r\n\r\n \r\n\r\n',
  'From: a\r\nTo: b\r\nTo: c\r\n\r\nx',
])('%j can be signed', async (message) => {
  expect(await verdictsOn(await signed(Buffer.from(message)), [ED25519])).toEqual(['pass'])
})

const MESSAGE = 'From: a@example.com\r\nTo: b@example.org\r\nSubject: s\r\nList-Unsubscribe-Post: x\r\n\r\nbody\r\n'

test.each([
  ['another body', (text: string) => text.replace('body', 'Body')],
  ['another subject', (text: string) => text.replace('Subject: s', 'Subject: t')],
  ['a second subject', (text: string) => `Subject: t\r\n${text}`],
  ['a second From', (text: string) => `From: eve@example.com\r\n${text}`],
  ['another recipient', (text: string) => `To: eve@example.com\r\n${text}`],
  ['no unsubscribing', (text: string) => text.replace('List-Unsubscribe-Post: x\r\n', '')],
])('%s breaks the signature', async (_, change) => {
  const changed = Buffer.from(change((await signed(Buffer.from(MESSAGE))).toString()))

  expect(await verdictsOn(changed, [ED25519])).not.toEqual(['pass'])
})

test('a subject that was not there cannot be added', async () => {
  const message = await signed(Buffer.from('From: a@example.com\r\n\r\nbody\r\n'))

  expect(await verdictsOn(Buffer.concat([Buffer.from('Subject: t\r\n'), message]), [ED25519])).not.toEqual(['pass'])
})

test('a signature says when, by whom and what, in lines that can be read', async () => {
  const header = (await signDkim(Buffer.from(MESSAGE), [{ ...RSA, domain: 'Müller.example' }], { date })).toString()

  expect(header).toMatch(
    /^DKIM-Signature: v=1; a=rsa-sha256; c=relaxed\/relaxed;\r\n d=xn--mller-kva.example; s=rsa; t=1738555506;/,
  )
  expect(header).toContain('h=From:From:Subject:Subject:To:To:List-Unsubscribe-Post;')
  expect(header.split('\r\n').filter((line) => line.length > 76)).toEqual([])
  expect(header.endsWith('\r\n')).toBe(true)
})

test('each signer has a header, and no signer has none', async () => {
  const both = (await signDkim(Buffer.from(MESSAGE), [RSA, ED25519], { date })).toString()

  expect(both.match(/^DKIM-Signature: v=1; a=(\S+);/gm)).toEqual([
    'DKIM-Signature: v=1; a=rsa-sha256;',
    'DKIM-Signature: v=1; a=ed25519-sha256;',
  ])
  expect(await signDkim(Buffer.from(MESSAGE), [], { date })).toHaveLength(0)
})

test('the record holds the bare key of Ed25519, and the wrapped one of RSA', () => {
  const [, ed25519 = ''] = /^v=DKIM1; k=ed25519; p=(\S+)$/.exec(dkimRecord(createPublicKey(ED25519.key))) ?? []
  const [, rsa = ''] = /^v=DKIM1; k=rsa; p=(\S+)$/.exec(dkimRecord(createPublicKey(RSA.key))) ?? []

  expect(Buffer.from(ed25519, 'base64')).toHaveLength(32)
  expect(createPublicKey({ key: Buffer.from(rsa, 'base64'), format: 'der', type: 'spki' }).asymmetricKeyType).toBe(
    'rsa',
  )
})

test('a key that DKIM has no name for is a defect', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  expect(() => signDkim(Buffer.from(MESSAGE), [{ ...RSA, key: privateKey }], { date })).toThrow('ec keys')
})
