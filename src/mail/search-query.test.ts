import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  grammarOf,
  parseDate,
  parseSearch,
  parseTag,
  SEARCH_OPERATORS,
  type SearchDate,
  type SearchTerm,
  tokensOf,
  writeSearch,
} from './search-query.ts'

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

test('a list names its operators, and other names are words', () => {
  const grammar = grammarOf(['folder', 'to'], { in: 'folder' })
  const all = tokensOf('in:spam -To:"Ada L" re:"a b" x:y - ":', grammar)

  expect(all.map(({ operator, value }) => [operator, value])).toEqual([
    ['folder', 'spam'],
    ['to', 'Ada L'],
    ...[
      [null, 're:'],
      [null, 'a b'],
      [null, 'x:y'],
      [null, '-'],
      [null, ':'],
    ],
  ])
  expect(all.map(({ raw }) => raw)).toEqual(['in:spam', '-To:"Ada L"', 're:', '"a b"', 'x:y', '-', '":'])
  expect(parseSearch('to:anna -in:b', grammarOf([]))).toEqual([term('to:anna'), term('in:b', { isExcluded: true })])
})

test('whatever is written is in a token, once and in its order', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const tokens = tokensOf(text, grammarOf(['to']))

      for (const { raw, start } of tokens) expect(text.slice(start, start + raw.length)).toBe(raw)
      expect(
        tokens
          .map(({ raw }) => raw)
          .join('')
          .replace(/\s/g, ''),
      ).toBe(text.replace(/\s/g, ''))
    }),
  )
})

test.each<[string, SearchDate | null]>([
  ['2026-11-01', { text: '2026-11-01', isDay: true, hasZone: false }],
  ['2026/11/1', { text: '2026-11-01', isDay: true, hasZone: false }],
  ['2026-11-01T10:00', { text: '2026-11-01T10:00', isDay: false, hasZone: false }],
  ['2026-11-01T10:00+02:00', { text: '2026-11-01T10:00+02:00', isDay: false, hasZone: true }],
  ...['2026-02-30', '2026-13-01', '2026-11-01T25:00', '20261101', 'yesterday', ''].map((text): [string, null] => [
    text,
    null,
  ]),
])('the date %s', (text, date) => {
  expect(parseDate(text)).toEqual(date)
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
