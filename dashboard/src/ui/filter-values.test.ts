import { expect, test } from 'vitest'
import {
  activeFilters,
  type Filters,
  fieldValue,
  hasTerm,
  isFiltered,
  searchInput,
  searchText,
  withField,
  withoutAll,
  withPeriod,
  withText,
} from './filter-values.ts'

const STATUS = {
  kind: 'choice',
  label: 'Status',
  word: 'status',
  operator: 'status',
  none: 'All statuses',
  options: [{ value: 'bounced', label: 'Bounced' }],
} as const
const FROM = { kind: 'text', label: 'From', operator: 'from' } as const
const DATE = { kind: 'period', label: 'Date' } as const
const SEARCHED: Filters = {
  search: { word: 'q', label: 'Search', operators: ['from', 'subject', 'status', 'before', 'after', 'has'] },
  fields: [STATUS, FROM, DATE],
}
const PLAIN: Filters = { search: { word: 'email', label: 'Email' }, fields: [STATUS] }

test('words of the address are chips, in the order of the fields, each with the way to be rid of it', () => {
  const words = { status: 'bounced', created_after: '7d', q: 'from:ada -subject:"to you" hello world' }
  expect(activeFilters(SEARCHED, words)).toEqual([
    { label: 'Status: Bounced', without: { status: undefined } },
    { label: 'From: ada', without: { q: '-subject:"to you" hello world' } },
    { label: 'Date: 7 days', without: { created_after: undefined, created_before: undefined } },
    { label: '-subject:"to you"', without: { q: 'from:ada hello world' } },
  ])
  expect(searchText(SEARCHED, words)).toBe('hello world')
})

test('terms that are written become parameters where there is one, and terms of the search otherwise', () => {
  expect(withText(SEARCHED, {}, 'status:bounced from:"Ada L" has:attachment hi')).toEqual({
    status: 'bounced',
    q: 'from:"Ada L" has:attachment hi',
  })
  expect(withText(SEARCHED, { q: 'from:ada old' }, 'from:ada new')).toEqual({ q: 'from:ada new' })
  // What the parameter does not know, and what is negated, only the search can say.
  expect(withText(SEARCHED, {}, 'status:nonsense -status:bounced')).toEqual({ q: 'status:nonsense -status:bounced' })
  expect(withText(SEARCHED, { q: 'old' }, '')).toEqual({ q: undefined })
})

test('a field that is a term is set, replaced and removed without harm to the rest', () => {
  expect(fieldValue(SEARCHED, { q: '-from:bob from:ada' }, FROM)).toBe('ada')
  expect(withField(SEARCHED, { q: '-from:bob from:ada x' }, FROM, 'Eve "E" X')).toEqual({
    q: '-from:bob from:"Eve  E  X" x',
  })
  expect(withField(SEARCHED, { q: 'from:ada' }, FROM, '')).toEqual({ q: undefined })
})

test('a period is two parameters, or two terms', () => {
  expect(withPeriod(SEARCHED, {}, DATE, { created_after: 'today' })).toEqual({
    created_after: 'today',
    created_before: undefined,
  })
  const dated: Filters = { search: SEARCHED.search, fields: [{ ...DATE, isTerm: true }] }
  const words = { q: 'after:2026-01-01 hello -' }
  expect(withPeriod(dated, words, { ...DATE, isTerm: true }, { created_before: '2026-02-01' })).toEqual({
    q: 'before:2026-02-02 hello',
  })
  expect(activeFilters(dated, words)).toEqual([{ label: 'Date: Since 2026-01-01', without: { q: 'hello' } }])
})

test('a day of the search is a day here, and the last one of a period is a part of it', () => {
  const moment = (day: number) => new Date(2026, 0, day).toISOString()
  expect(searchInput('after:2026-01-05 before:2026-01-08 hello to:ada')).toBe(
    `after:${moment(5)} before:${moment(8)} hello to:ada`,
  )
  expect(searchInput('hello -')).toBe('hello -')
  expect(searchInput(undefined)).toBeUndefined()
  const dated: Filters = { search: SEARCHED.search, fields: [{ ...DATE, isTerm: true }] }
  const [chip] = activeFilters(dated, { q: 'after:2026-01-05 before:2026-01-08' })
  expect(chip!.label).toBe('Date: 2026-01-05 – 2026-01-07')
})

test('where no terms are understood a text is a text', () => {
  expect(withText(PLAIN, {}, 'from:ada')).toEqual({ email: 'from:ada' })
  expect(searchText(PLAIN, { email: 'to:x' })).toBe('to:x')
  expect(hasTerm(PLAIN, 'from:ada')).toBe(false)
})

test('a clock is no term, and an address is none either', () => {
  expect(hasTerm(SEARCHED, 'at 12:30 https://example.com')).toBe(false)
  expect(hasTerm(SEARCHED, 'hello from:')).toBe(true)
  expect(withText(SEARCHED, {}, '12:30 https://a.example')).toEqual({ q: '12:30 https://a.example' })
})

test('clearing leaves nothing, and says so', () => {
  expect(withoutAll(SEARCHED)).toEqual({
    status: undefined,
    created_after: undefined,
    created_before: undefined,
    q: undefined,
  })
  expect(isFiltered(SEARCHED, {})).toBe(false)
  expect(isFiltered(SEARCHED, { q: 'x' })).toBe(true)
  expect(isFiltered(SEARCHED, { created_before: '2026-01-01' })).toBe(true)
})
