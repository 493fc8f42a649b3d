import { expect, test } from 'vitest'
import { inBytes } from './bytes.ts'
import { listOfText, textOfList } from './list-text.ts'
import { samplePayload } from './sample-payload.ts'

test('a list survives its field, and an empty field is no list', () => {
  expect(listOfText(textOfList(['a@example.com', 'b@example.com']))).toEqual(['a@example.com', 'b@example.com'])
  expect(listOfText(' a ,b')).toEqual(['a', 'b'])
  expect([listOfText(''), textOfList(null)]).toEqual([null, ''])
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [999_949, '999.9 kB'],
  [1_000_000, '1.0 MB'],
  [12_345_678, '12.3 MB'],
])('%i bytes are %s', (size, text) => {
  expect(inBytes(size)).toBe(text)
})

test('a sample has a value of the right type for each field', () => {
  const schema = { plan: 'string', seats: 'number', isPaid: 'boolean', since: 'date', odd: 'unknown' }

  const sample = JSON.parse(samplePayload(schema))

  expect(sample).toEqual({ plan: 'text', seats: 1, isPaid: true, since: expect.any(String), odd: null })
  expect(new Date(sample.since).toISOString()).toBe(sample.since)
  expect(samplePayload(null)).toBe('{}')
})
