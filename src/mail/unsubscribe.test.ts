import { expect, test } from 'vitest'
import { unsubscribeHeaders } from './unsubscribe.ts'

test('one click is offered beside https only', () => {
  expect(unsubscribeHeaders(new URL('https://example.com/u?id=1'))).toEqual({
    'List-Unsubscribe': '<https://example.com/u?id=1>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
  expect(unsubscribeHeaders(new URL('http://example.com/u'))).toEqual({ 'List-Unsubscribe': '<http://example.com/u>' })
})

test('a URL cannot end its brackets', () => {
  expect(unsubscribeHeaders(new URL('mailto:a@example.com?subject=<x>'))['List-Unsubscribe']).toMatch(/^<[^>]+>$/)
})
