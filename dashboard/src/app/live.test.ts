import { QueryClient } from '@tanstack/react-query'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { collector } from './live.ts'

const KEYS = [
  ...[
    ['session'],
    ['emails.list', {}],
    ['emails.receiving.list', {}],
    ['contacts.list', {}],
    ['contact-properties.list', {}],
  ],
  ...[
    ['inboxes.threads.list', {}],
    ['inboxes.drafts.list', {}],
    ['emails.list', {}, { sandbox: 'box' }],
  ],
]

beforeEach(() => {
  vi.useFakeTimers()
  return () => vi.useRealTimers()
})

/** A page on which all of these were read; what is stale after these events. */
function staleAfter(types: readonly string[], sandbox?: string): string[] {
  const queries = new QueryClient()
  onTestFinished(() => queries.clear())
  for (const key of KEYS) queries.setQueryData(key, 'read')
  const refresh = collector(queries, sandbox)
  for (const type of types) refresh(type)
  vi.advanceTimersByTime(1_000)
  return KEYS.filter((key) => queries.getQueryState(key)?.isInvalidated).map((key) =>
    [key[0], ...(key[2] ? ['in a sandbox'] : [])].join(' '),
  )
}

test('mail that was sent is not about mail that was received, and the other way round', () => {
  expect(staleAfter(['email.delivered'])).toEqual(['emails.list'])
  expect(staleAfter(['email.received'])).toEqual(['emails.receiving.list'])
})

test('several events of a moment are gathered', () => {
  expect(staleAfter(['contact.created', 'inbox.draft.updated'])).toEqual([
    ...['contacts.list', 'inboxes.threads.list', 'inboxes.drafts.list'],
  ])
})

test('an event of a kind that the page does not know makes all but the session stale', () => {
  const stale = staleAfter(['something.new'])

  expect(stale).not.toContain('session')
  expect(stale).toHaveLength(KEYS.length - 2)
})

test('in a sandbox only its own answers are read again', () => {
  expect(staleAfter(['email.sent'], 'box')).toEqual(['emails.list in a sandbox'])
  expect(staleAfter(['email.sent'], 'another')).toEqual([])
})

test('a thousand events of a moment are one refresh, and the next moment has its own', () => {
  const queries = new QueryClient()
  onTestFinished(() => queries.clear())
  const invalidate = vi.spyOn(queries, 'invalidateQueries')
  const refresh = collector(queries, undefined)

  for (let n = 0; n < 1_000; n++) refresh('email.sent')
  vi.advanceTimersByTime(1_000)
  expect(invalidate).toHaveBeenCalledTimes(1)
  refresh('email.sent')
  vi.advanceTimersByTime(1_000)
  expect(invalidate).toHaveBeenCalledTimes(2)
})
