import fc from 'fast-check'
import { expect, test } from 'vitest'
import { atOnce } from '../steps.ts'
import { decodeBase64 } from './base64.ts'

const decoded = (text: string) => atOnce(decodeBase64(Buffer.from(text, 'latin1')))

/** In lines, each with what a program or a server on the way may have put into it. */
const lines = (bytes: Buffer, length: number, end: string) =>
  bytes.toString('base64').replace(new RegExp(`.{${length}}`, 'g'), `$&${end}`)

test('bytes come back, whatever the lines are like', () => {
  const end = fc.constantFrom('\r\n', '\n', '\r', ' \r\n', '-', '!\n')
  const bytes = fc.uint8Array({ maxLength: 2_000 }).map((some) => Buffer.from(some))
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 80 }), end, (some, length, lineEnd) => {
      expect(decoded(lines(some, length, lineEnd)).equals(some)).toBe(true)
    }),
    { numRuns: 200 },
  )
})

test('long ones too, when a line in the middle is not like the others', () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7) % 256))
  const text = lines(bytes, 76, '\r\n')
  const middle = 78 * 2_000

  expect(decoded(text).equals(bytes)).toBe(true)
  for (const odd of ['\n', '!', '-', ' \r\n', '_'])
    expect(decoded(text.slice(0, middle + 10) + odd + text.slice(middle + 10)).equals(bytes)).toBe(true)
})
