import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSearch, parseTag, SEARCH_OPERATORS, type SearchTerm, writeSearch } from './search-query.ts'

const term = (value: string, more: Partial<SearchTerm> = {}): SearchTerm => ({
  operator: null,
  value,
  isPhrase: false,
  isExcluded: false,
  ...more,
})

describe('what people write', () => {
  test.each<[string, SearchTerm[]]>([
    ['invoice  March', [term('invoice'), term('March')]],
    ['"annual report" -draft', [term('annual report', { isPhrase: true }), term('draft', { isExcluded: true })]],
    ['-"not this', [term('not this', { isPhrase: true, isExcluded: true })]],
    ['to:anna@acme.test', [term('anna@acme.test', { operator: 'to' })]],
    ['-Status:bounced', [term('bounced', { operator: 'status', isExcluded: true })]],
    ['subject:"two words"', [term('two words', { operator: 'subject', isPhrase: true })]],
    ['tag:plan=pro', [term('plan=pro', { operator: 'tag' })]],
    ['after:2026-11-01T10:00', [term('2026-11-01T10:00', { operator: 'after' })]],
    ['size:12', [term('12', { operator: 'size' })]],
    ['at 12:30', [term('at'), term('12:30')]],
    ['Re: hello', [term('Re:'), term('hello')]],
    ['https://acme.test/a', [term('https://acme.test/a')]],
    ['- -- "" "-" to: % _ \0', [term('to:')]],
  ])('%s', (text, terms) => {
    expect(parseSearch(text)).toEqual(terms)
  })
})

test('a tag is a name, with a value or without', () => {
  expect(parseTag('plan=pro')).toEqual({ name: 'plan', value: 'pro' })
  expect(parseTag('plan:pro')).toEqual({ name: 'plan', value: 'pro' })
  expect(parseTag('plan')).toEqual({ name: 'plan', value: null })
})

const anyTerm = fc.record({
  operator: fc.constantFrom(null, ...SEARCH_OPERATORS),
  value: fc.string({ unit: 'grapheme' }),
  isPhrase: fc.boolean(),
  isExcluded: fc.boolean(),
})

test('what is parsed can be written, and is the same when it is parsed again', () => {
  fc.assert(
    fc.property(fc.array(anyTerm), fc.string({ unit: 'grapheme' }), (terms, text) => {
      const parsed = parseSearch(`${writeSearch(terms)} ${text}`)

      expect(parseSearch(writeSearch(parsed))).toEqual(parsed)
    }),
  )
})

test('the longest text is parsed in no time, whatever is in it', () => {
  fc.assert(
    fc.property(fc.constantFrom('"', '-', 'a:', '-"', 'a:"', ' ', 'x', 'to:-'), (piece) => {
      expect(parseSearch(piece.repeat(10_000)).length).toBeLessThanOrEqual(10_000)
    }),
  )
})
