import { expect, test } from 'vitest'
import { type DnsRecord, dnsPlan } from './dns-plan.ts'

const RESEND: DnsRecord[] = [
  { record: 'SPF', type: 'MX', name: 'send', value: 'feedback-smtp.us-east-1.amazonses.com', priority: 10 },
  { record: 'SPF', type: 'TXT', name: 'send', value: '"v=spf1 include:amazonses.com ~all"' },
  { record: 'DKIM', type: 'TXT', name: 'resend._domainkey', value: 'p=OLD' },
]

const HERE: DnsRecord[] = [
  { record: 'SPF', type: 'MX', name: 'send', value: 'mail.example.net', priority: 10 },
  { record: 'SPF', type: 'TXT', name: 'send', value: '"v=spf1 a:mail.example.net ~all"' },
  { record: 'DKIM', type: 'TXT', name: 'postwren._domainkey', value: 'p=NEW' },
]

const short = (plan: ReturnType<typeof dnsPlan>) =>
  plan.map(({ when, act, type, name, value }) => `${when}: ${act} ${type} ${name} ${value}`)

test('both services can send while a domain moves', () => {
  expect(short(dnsPlan('example.com', RESEND, HERE))).toEqual([
    'switch: replace MX send.example.com mail.example.net',
    'before: replace TXT send.example.com "v=spf1 include:amazonses.com a:mail.example.net ~all"',
    'after: replace TXT send.example.com "v=spf1 a:mail.example.net ~all"',
    'before: add TXT postwren._domainkey.example.com p=NEW',
    'after: remove TXT resend._domainkey.example.com p=OLD',
  ])
})

test('what is the same already needs no change', () => {
  expect(dnsPlan('example.com', HERE, HERE)).toEqual([])
})

test('names below a subdomain are found however a service shows them', () => {
  const there = [{ record: 'SPF', type: 'MX', name: 'send.news', value: 'old.example.net', priority: 10 }]
  const here = [{ record: 'SPF', type: 'MX', name: 'send', value: 'new.example.net', priority: 10 }]

  expect(short(dnsPlan('news.example.com', there, here))).toEqual([
    'switch: replace MX send.news.example.com new.example.net',
  ])
})

test('mail that is received moves at the switch', () => {
  const there = [{ record: 'Receiving', type: 'MX', name: '@', value: 'inbound.example.org', priority: 10 }]
  const here = [{ record: 'Receiving', type: 'MX', name: 'example.com', value: 'mail.example.net', priority: 10 }]

  expect(short(dnsPlan('example.com', there, here))).toEqual(['switch: replace MX example.com mail.example.net'])
})

test('records that a service only suggests stay as they are', () => {
  const dmarc = { type: 'TXT', name: '_dmarc', value: '"v=DMARC1; p=reject"' }
  for (const kind of [{ record: 'DMARC' }, { record: 'SPF', suggestion: 'DMARC' }]) {
    expect(dnsPlan('example.com', [...HERE, { ...dmarc, ...kind }], HERE)).toEqual([])
    expect(dnsPlan('example.com', HERE, [...HERE, { ...dmarc, ...kind }])).toEqual([])
  }
})
