import { expect, test } from 'vitest'
import { terminates } from '../../test/harness/watchdog.ts'
import { messageIdsIn, ownMessageId, referencesOf } from './message-ids.ts'

test.each([
  ['<a@x> <b@x>', ['<a@x>', '<b@x>']],
  ['<a@x><b@x>\t<a@x>', ['<a@x>', '<b@x>']],
  ['Your message of Sun, 15 Nov 2026 <a@x>', ['<a@x>']],
  ['a@x b@x', ['<a@x>', '<b@x>']],
  ['from Ada', []],
  ['<<<>>>', []],
])('%j names %j', (field, expected) => {
  expect(messageIdsIn(field)).toEqual(expected)
})

test('a message that gives itself a name without brackets has one, too', () => {
  expect(ownMessageId('<a@x>')).toBe('<a@x>')
  expect(ownMessageId(' <a@x> (added by relay)')).toBe('<a@x>')
  expect(ownMessageId('a@x')).toBe('<a@x>')
  expect(ownMessageId('<7f000001>')).toBe('<7f000001>')
  expect(ownMessageId('no name')).toBeNull()
  expect(ownMessageId('<>')).toBeNull()
  expect(ownMessageId(null)).toBeNull()
})

test('of too many references the first and the last count', () => {
  const many = Array.from({ length: 2_000 }, (_, number) => `<${number}@x>`)

  const named = referencesOf([many.join(' ')], ['<parent@x>', '<1999@x>'])

  expect(named).toHaveLength(50)
  expect([named[0], named.at(-2), named.at(-1)]).toEqual(['<0@x>', '<1999@x>', '<parent@x>'])
})

test.each(['<', '<a', '<a>', '< ', 'a@', '>'])('many fields of %j take time for their length', (piece) => {
  const fields = Array<string>(40).fill(piece.repeat(1_000_000 / piece.length))

  // Of each 64 kB are read. The square of that takes seconds, each time.
  expect(terminates(() => referencesOf(fields, [])).length).toBeLessThanOrEqual(50)
})
