import { expect, test } from 'vitest'
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

test('a megabyte of what looks like references takes no time', () => {
  const begun = process.cpuUsage()

  for (const piece of ['<', '<a', '<a>', '< ', 'a@', '>']) referencesOf([piece.repeat(1_000_000 / piece.length)], [])

  expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(1_000)
})
