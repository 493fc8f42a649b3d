import { expect, test } from 'vitest'
import { terminates } from '../../../test/harness/watchdog.ts'
import type { match } from '../../features/messages/index.ts'
import { readQuery } from './query.ts'
import { searchOf } from './search.ts'

const MAIL: match.Head = {
  team: 'team',
  id: 'id',
  direction: 'received',
  from: 'Grace Hopper <grace@navy.example>',
  to: ['Ada <ada@example.com>'],
  cc: ['c@example.com'],
  bcc: [],
  reply_to: ['desk@navy.example'],
  received_for: ['ada@example.com', 'hidden@example.com'],
  subject: 'Your Code\n is 1234',
  message_id: '<one@navy.example>',
  status: null,
  tags: [{ name: 'kind', value: 'code' }],
  is_read: false,
  labels: ['Sign up'],
  created_at: new Date('2026-03-02T12:00:00Z'),
}
const WORDS = { text: null, html: '<p>Enter it <b>with</b>in ten minutes</p>' }
const EXTENT = { size: 2_000, attachments: 1, inline: 1 }

function finds(query: string, timeZone?: string): boolean {
  const { matcher } = searchOf(readQuery(query, timeZone))
  const verdict = matcher.byHead(MAIL)
  return verdict === 'words' ? matcher.byWords(MAIL, WORDS, EXTENT) : verdict
}

test.each([
  'to:ada@example.com',
  'TO:"ADA@Example.com"',
  'from:grace@navy.example',
  'from:@navy.example',
  'from:*@navy.example',
  'from:g*e@*.example',
  'from:hopper',
  'cc:c@example.com',
  'bcc:hidden@example.com',
  'reply-to:desk@navy.example',
  'addressed:hidden@example.com',
  'subject:code',
  'subject:"code is 1234"',
  'message-id:one@navy.example',
  'message-id:<one@navy.example>',
  'tag:"sign UP"',
  'tag:kind:code',
  'is:unread',
  'is:tagged',
  '!is:read',
  'has:inline',
  '-has:attachment',
  'larger:1k',
  'smaller:2kb larger:1999b',
  'after:2026-03-01 before:2026/03/03',
  'after:2026-03-02T11:59:00Z',
  'after:"2026-03-02 11:59" before:2026-03-02T14:00:01.5+02:00',
  'after:"Mon, 02 Mar 2026 11:59:00 +0000" before:"2 Mar 2026 12:01 GMT"',
  'within minutes',
  '"within ten minutes"',
  'grace ten',
  '-eleven',
  'subject:code -"within eleven"',
  '-http://nothing.example',
])('%s is found', (query) => {
  expect(finds(query)).toBe(true)
})

test.each([
  'to:da@example.com',
  'to:ada@example.co',
  'to:hidden@example.com',
  'from:@avy.example',
  'from:g*g@navy.example',
  'subject:codes',
  'tag:kind',
  'is:read',
  '!is:tagged',
  'has:attachment',
  'larger:2000',
  'smaller:2000',
  'before:2026-03-02',
  'after:2026-03-03',
  'eleven',
  '-ten',
  '-grace',
  'subject:code eleven',
  'http://nothing.example',
])('%s is not', (query) => {
  expect(finds(query)).toBe(false)
})

test('a day begins where the one who asks is', () => {
  expect(finds('after:2026-03-03')).toBe(false)
  expect(finds('after:2026-03-03', 'Pacific/Kiritimati')).toBe(true)
  expect(finds('before:2026-03-03', 'Pacific/Kiritimati')).toBe(false)
  expect(finds('before:2026-03-03', 'Nowhere/Land')).toBe(true)
  expect(finds('before:2026-03-03T01:00', 'Pacific/Kiritimati')).toBe(false)
  expect(finds('before:2026-03-03T01:00Z', 'Pacific/Kiritimati')).toBe(true)
})

// What is looked for is also what is deleted: nothing that is not understood may be taken for everything.
test.each([
  ['', 'no search query'],
  ['  ', 'no search query'],
  ['""', 'no search query'],
  ['-before:yesterdayish', 'The search does not understand `before:yesterdayish`.'],
  // To `Date.parse` all of these are times.
  ...['id-7', 'order-2024', 'foo 1', '7', '2024-13-45', '2024-02-30', '2024-02-30T10:00Z', '2024-00-01'].map(
    (value) => [`after:"${value}"`, `The search does not understand \`after:${value}\`.`],
  ),
  ['before:"31 Feb 2024 10:00:00 +0000"', 'The search does not understand'],
  ['before:"1 Foo 2024 10:00:00 +0000"', 'The search does not understand'],
  ['is:red', 'The search does not understand `is:red`.'],
  ['!larger:much', 'The search does not understand `larger:much`.'],
  ['to:""', 'The filter `to:` needs a value.'],
  ['a '.repeat(51), 'A search can have at most 50 words and filters.'],
])('%j is refused', (query, words) => {
  expect(() => readQuery(query)).toThrow(words)
})

test('nothing that a stranger searches for goes back and forth', () => {
  for (const query of ['-'.repeat(4_000), 'a:'.repeat(2_000), `"${'x'.repeat(4_000)}`, `from:${'*a'.repeat(1_900)}`])
    terminates(() => finds(query))
})

test('the database looks for what it can', () => {
  expect(readQuery('to:ada@example.com subject:Code -from:b@example.com has:inline').messageFilter).toEqual({
    to: 'ada@example.com',
    subject: 'Code',
  })
  expect(readQuery('to:*@example.com from:@x.example').messageFilter).toEqual({})
})
