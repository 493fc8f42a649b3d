import { expect, test } from 'vitest'
import { matchers } from './matchers.ts'
import { messageOf } from './message.ts'
import type { MessageData } from './types.ts'

const DATA: MessageData = {
  object: 'message',
  id: '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f',
  direction: 'sent',
  from: 'Acme <hello@acme.example>',
  to: ['Ada <ada@example.com>'],
  cc: [],
  bcc: ['archive@acme.example'],
  reply_to: [],
  subject: 'Your code',
  snippet: 'Your code is 731 904',
  status: 'delivered',
  is_read: false,
  labels: [],
  tags: [],
  size: 900,
  created_at: '2026-11-16T08:00:00.000Z',
  html: '<p>Your code is 731 904</p>',
  text: 'Your code is 731 904',
  headers: [],
  links: [
    { text: 'Home', href: 'https://acme.example/', target: 'https://acme.example/' },
    { text: 'Confirm', href: 'https://track.example/x', target: 'https://acme.example/confirm?token=1' },
  ],
  codes: ['731904'],
  unsubscribe: null,
  images: [],
  attachments: [
    { id: 'a', filename: 'terms.pdf', content_type: 'application/pdf', content_id: null, size: 3, download_url: '' },
  ],
  raw: null,
}

const mail = messageOf(DATA)

test('a message knows its code, and where its links lead', () => {
  expect(mail.code()).toBe('731904')
  expect(mail.link()).toBe('https://acme.example/')
  expect(mail.link('confirm')).toBe('https://acme.example/confirm?token=1')
  expect(mail.link(/token=\d/)).toBe('https://acme.example/confirm?token=1')
  // Otherwise it is what the API says.
  expect(mail).toEqual(DATA)
})

test('what is not in it is told with what is', () => {
  const plain = messageOf({ ...DATA, codes: [], links: DATA.links.slice(0, 1) })

  expect(() => plain.code()).toThrow(
    'There is no code in "Your code" to Ada <ada@example.com>. Its text:\n  Your code is 731 904',
  )
  expect(() => plain.link('confirm')).toThrow(
    'There is no link with "confirm" in "Your code" to Ada <ada@example.com>. Its links:\n  - Home: https://acme.example/',
  )
})

test.each([
  ['toHaveSubject', ['Your code'], ['code']],
  ['toHaveSubject', [/code$/], [/^code/]],
  ['toHaveBodyText', ['YOUR CODE'], ['password']],
  ['toHaveCode', [], ['000000']],
  ['toHaveCode', ['731904'], ['731 904']],
  ['toHaveCode', [/^\d{6}$/], [/^\d{4}$/]],
  ['toHaveLink', [], ['unsubscribe']],
  ['toHaveLink', ['/confirm'], [/reject/]],
  ['toHaveAttachment', [], ['terms']],
  ['toHaveAttachment', ['terms.pdf'], [/\.png$/]],
  ['toBeAddressedTo', ['ADA@example.com'], ['grace@example.com']],
  ['toBeAddressedTo', ['archive@acme.example'], ['hello@acme.example']],
  ['toBeDeliveredTo', ['ada@example.com'], ['grace@example.com']],
] as const)('%s(%j) holds, and (%j) does not', (name, right, wrong) => {
  const verdictOf = (words: readonly unknown[]) =>
    (matchers[name] as (given: unknown, ...words: unknown[]) => ReturnType<typeof matchers.toHaveCode>)(mail, ...words)

  expect(verdictOf(right).pass).toBe(true)
  expect(verdictOf(wrong).pass).toBe(false)
  expect(verdictOf(right).message()).toMatch(/^Expected "Your code" to Ada <ada@example.com> not to (have|be) .+\.\n/)
  expect(verdictOf(wrong).message()).toMatch(/^Expected "Your code" to Ada <ada@example.com> to (have|be) .+\.\n/)
})

test('what has bounced was not delivered, and the reader sees so', () => {
  const verdict = matchers.toBeDeliveredTo({ ...DATA, status: 'bounced' }, 'ada@example.com')

  expect(verdict.pass).toBe(false)
  expect(verdict.message()).toContain('Its status: bounced')
})

test.each([null, undefined, 'mail', {}, [DATA]])('what is no message is refused: %j', (given) => {
  expect(() => matchers.toHaveCode(given)).toThrow('give what inbox.waitFor() has answered')
})

test('a pattern finds the same each time, whatever its flags', () => {
  const pattern = /code/gy

  for (const _ of [1, 2]) {
    expect(matchers.toHaveBodyText(mail, /code/g).pass).toBe(true)
    expect(matchers.toHaveSubject(mail, /Your/gy).pass).toBe(true)
    expect(matchers.toHaveSubject(mail, pattern).pass).toBe(matchers.toHaveSubject(mail, pattern).pass)
    expect(mail.link(/token/g)).toBe('https://acme.example/confirm?token=1')
  }
})

test('a message that was on its way when it was read says how to read it again', () => {
  const early = messageOf({ ...DATA, status: 'sent' })

  expect(matchers.toBeDeliveredTo(early, 'ada@example.com').message()).toContain('then inbox.get(mail.id)')
  expect(matchers.toBeDeliveredTo({ ...DATA, status: 'complained' }, 'ada@example.com').pass).toBe(true)
  expect(matchers.toBeDeliveredTo({ ...DATA, status: 'bounced' }, 'ada@example.com').message()).not.toContain('then')
})
