import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quotedAscii } from './quoted-ascii.ts'
import { escapesIn, quotedPrintable } from './quoted-printable.ts'

const piece = fc.oneof(
  fc.constantFrom(
    '\r\n',
    ' \r\n',
    '\t\r\n',
    '=',
    '==',
    ' ',
    '\t',
    'From ',
    'From',
    'x',
    '.',
    'word '.repeat(14),
    'a'.repeat(72),
  ),
  fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 80 }),
)
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))

test('in one pass comes out what the rules make step by step', () => {
  fc.assert(
    fc.property(text, (lines) => {
      const quoted = quotedAscii(lines)!

      expect(quoted.content.toString('latin1')).toBe(quotedPrintable({ lines, isOpen: false }))
      expect(quoted.escapes).toBe(escapesIn(lines))
    }),
    { numRuns: 1_000 },
  )
})

test.each(['é', '\0', '\x7f', '\x1b', 'x'.repeat(16_385)])('%j is left to those rules', (lines) => {
  expect(quotedAscii(lines)).toBeNull()
})

test('the most that a text can become has room', () => {
  const lines = '='.repeat(16_384)

  expect(quotedAscii(lines)!.content.toString()).toBe(quotedPrintable({ lines, isOpen: false }))
})
