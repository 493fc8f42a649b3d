import { expect, test } from 'vitest'
import { buildMime } from '../mime.ts'
import { chunksOf, MAX_CHUNK } from './text-chunks.ts'

const MINIMAL = {
  from: { name: null, address: 'a@example.com' },
  to: [],
  cc: [],
  replyTo: [],
  subject: 's',
  html: null,
  headers: [],
  attachments: [],
}
const STAMP = { messageId: '<1@example.com>', date: new Date('2025-02-03T04:05:06Z'), seed: 'seed' }

/** The encoding, and what a reader makes of the body. */
function read(text: string) {
  const message = buildMime({ ...MINIMAL, text }, STAMP).toString('latin1')
  const end = message.indexOf('\r\n\r\n')
  const encoding = /^Content-Transfer-Encoding: (\S+)/m.exec(message.slice(0, end))![1]!
  const lines = message.slice(end + 4).split('\r\n')
  const longest = lines.reduce((most, line) => Math.max(most, line.length), 0)
  return { encoding, longest, body: decode(encoding, lines.join('\r\n')) }
}

function decode(encoding: string, body: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding === '7bit') return body
  const bytes = body
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

const LONG = 2 * MAX_CHUNK + 1_000

test.each([
  ['7bit', 'short lines', 'A line of text.\n'.repeat(LONG / 16)],
  ['7bit', 'empty lines', `${'\n'.repeat(LONG)}x`],
  ['quoted-printable', 'one long line', 'word '.repeat(LONG / 5)],
  ['quoted-printable', 'escapes all along', '<a b=1>grün 😀</a> text text text text text'.repeat(LONG / 40)],
  ['quoted-printable', 'lines that end in CR alone', `${'a'.repeat(70)} é\r`.repeat(LONG / 70)],
  ['quoted-printable', 'a line that begins with From, over and over', 'From '.repeat(LONG / 5)],
  ['base64', 'nothing but emoji', '😀'.repeat(LONG)],
  ['base64', 'nothing but equals signs', '='.repeat(LONG)],
])('a long text in %s, %s, arrives as it was', (encoding, _, text) => {
  const message = read(text)

  expect(message.encoding).toBe(encoding)
  expect(message.longest).toBeLessThanOrEqual(76)
  expect(message.body.trimEnd() === text.replace(/\r\n|\r|\n/g, '\r\n').trimEnd()).toBe(true)
})

test('chunks put together are the text, and only a line that is too long is divided', () => {
  const text = `${'x'.repeat(MAX_CHUNK - 1)}😀${'line\r\n'.repeat(MAX_CHUNK)}${'y'.repeat(MAX_CHUNK)}`

  const chunks = [...chunksOf(text)]

  expect(chunks.map(({ lines }) => lines).join('') === text).toBe(true)
  expect(chunks.every(({ lines }) => lines.length <= MAX_CHUNK && lines.isWellFormed())).toBe(true)
  expect(chunks.filter(({ isOpen }) => isOpen)).toHaveLength(1)
})
