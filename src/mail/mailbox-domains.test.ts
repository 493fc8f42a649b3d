import { expect, test } from 'vitest'
import { MAILBOX_DOMAINS, mailboxProviderOf } from './mailbox-domains.ts'

test.each([
  ['gmail.com', ['gmail']],
  ['googlemail.com', ['gmail']],
  ['hotmail.co.uk', ['outlook']],
  ['live.fr', ['outlook']],
  ['yahoo.com', ['yahoo']],
  ['yahoo.co.uk', ['yahoo']],
  ['yahoo.com.br', ['yahoo']],
  ['yahoo.co.jp', []],
  ['aol.com', ['yahoo']],
  ['me.com', ['icloud']],
  ['list.ru', ['mail.ru']],
  ['example.com', []],
  ['notgmail.com', []],
  ['gmail.com.example.net', []],
])('mailboxes of %s are of %j', (domain, providers) => {
  const found = Object.keys(MAILBOX_DOMAINS).filter((name) => new RegExp(MAILBOX_DOMAINS[name]!).test(domain))

  expect(found).toEqual(providers)
})

test('the provider of a mailbox is known by its domain, in any case', () => {
  expect(['Googlemail.com', 'hotmail.co.uk', 'aol.com', 'bk.ru', 'example.com'].map(mailboxProviderOf)).toEqual([
    ...['gmail', 'outlook', 'yahoo', 'mail.ru'],
    null,
  ])
})
