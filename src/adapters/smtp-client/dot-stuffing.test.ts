import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dotStuffed, endOf } from './dot-stuffing.ts'

const stuffed = (text: string) => Buffer.concat(dotStuffed(Buffer.from(text))).toString()

test.each([
  ['', ''],
  ['.', '..'],
  ['a.b\r\n', 'a.b\r\n'],
  ['.\r\n', '..\r\n'],
  ['a\r\n.\r\n..\r\n.b', 'a\r\n..\r\n...\r\n..b'],
  ['a\r\n\r\n.', 'a\r\n\r\n..'],
  ['a\n.b\r.c', 'a\n.b\r.c'],
])('%j is sent as %j', (text, sent) => {
  expect(stuffed(text)).toBe(sent)
})

test.each([
  ['', '.\r\n'],
  ['a', '\r\n.\r\n'],
  ['a\r\n', '.\r\n'],
  ['a\n', '\r\n.\r\n'],
])('%j ends with %j', (text, end) => {
  expect(endOf(Buffer.from(text)).toString()).toBe(end)
})

test('a message in parts is the same as in one', () => {
  const lines = fc.array(fc.constantFrom('.', '..', '. a', '', 'text', 'te.xt', '\r', '\n'), { maxLength: 600 })
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 50 }), (some, partBytes) => {
      const message = Buffer.from(some.join('\r\n'))
      const parts: Buffer[] = []
      for (let begin = 0; begin < message.length; begin += partBytes)
        parts.push(...dotStuffed(message, begin, begin + partBytes))

      const sent = Buffer.concat(parts).toString()
      expect(sent).toBe(message.toString().replace(/(^|\r\n)\./g, '$1..'))
    }),
  )
})

test('a text of nothing but dots is not a piece for each', () => {
  const message = Buffer.from('.\r\n'.repeat(40_000))

  const pieces = dotStuffed(message)

  expect(pieces.length).toBeLessThan(300)
  expect(Buffer.concat(pieces).toString()).toBe('..\r\n'.repeat(40_000))
})
