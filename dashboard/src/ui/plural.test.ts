import { expect, test } from 'vitest'
import { plural } from './plural.ts'

const emails = plural({ one: '# email', other: '# emails' })

test.each([
  [0, '0 emails'],
  [1, '1 email'],
  [2, '2 emails'],
  [1.5, '1.5 emails'],
])('%s', (count, text) => {
  expect(emails(count)).toBe(text)
})

test('a form that is not named is the other one', () => {
  expect(plural({ other: '# of them' })(1)).toBe('1 of them')
})

test('a form may do without the number', () => {
  expect(plural({ one: 'one row', other: '# rows' })(1)).toBe('one row')
})
