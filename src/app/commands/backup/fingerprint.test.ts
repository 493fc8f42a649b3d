import { expect, test } from 'vitest'
import { lineOf, sizeOf } from '../progress.ts'
import { Fingerprint } from './fingerprint.ts'

function digestOf(...pieces: string[]) {
  const fingerprint = new Fingerprint()
  for (const piece of pieces) fingerprint.add(Buffer.from(piece))
  return fingerprint.digest()
}

test('lines have the same fingerprint in whatever order and pieces they come', () => {
  expect(digestOf('one\ntwo\nthree\n')).toBe(digestOf('three\no', 'ne\ntw', 'o\n'))
  expect(digestOf()).toBe('0'.repeat(32))
})

test.each([
  ['a\nb\n', 'a\nc\n'],
  ['a\nb\n', 'ab\n'],
  ['a\nb\n', 'a\nb\nb\n'],
  ['ab\ncd\n', 'ad\ncb\n'],
  ['\n', '\n\n'],
  ['a\tb\n', 'a\t\\N\n'],
])('%j is not %j', (one, other) => {
  expect(digestOf(one)).not.toBe(digestOf(other))
})

test('lines are counted', () => {
  const fingerprint = new Fingerprint()
  fingerprint.add(Buffer.from('a\n\nb'))
  expect(fingerprint.lines).toBe(2)
})

test('a terminal sees how far it is, and 100 % only when it is done', () => {
  expect(lineOf('Database', 1, 4)).toBe(`Database  ${'█'.repeat(6)}${'░'.repeat(18)}  25 %`)
  expect(lineOf('Database', 9, 4)).toMatch(/ 99 %$/)
  expect(lineOf('Blobs', 7, 0)).toBe('Blobs  7')
  expect([0, 999, 1_000, 1_500_000, 2e15].map(sizeOf)).toEqual(['0 B', '999 B', '1.0 kB', '1.5 MB', '2000.0 TB'])
})
