import { describe, expect, test } from 'vitest'
import { type JudgedEmail, PolicyBalance, PolicyRules, personOf } from './rules.ts'
import type { Policy } from './schema.ts'
import { Timeline } from './timeline.ts'

const EMAIL: JudgedEmail = {
  from: 'Support <support@acme.dev>',
  to: ['Ada <ada@example.com>'],
  cc: null,
  subject: 'Hello',
  recipients: ['ada@example.com'],
}

const rulesOf = (policy: Policy, email: Partial<JudgedEmail>, known: readonly string[] = []) =>
  new PolicyRules(policy)
    .objections({ ...EMAIL, ...email }, (address) => known.includes(address))
    .map(({ rule }) => rule)

const to = (...recipients: string[]): Partial<JudgedEmail> => ({ to: recipients, recipients })

describe('recipients', () => {
  const policy = {
    recipients: { addresses: ['Ada@Example.com', 'ö@bücher.example'], domains: ['ACME.dev', 'bücher.test'] },
  }

  test.each([
    ['as it is listed', ['Ada@Example.com'], true],
    ['in other letters', ['ADA@EXAMPLE.COM'], true],
    ['of a listed domain', ['anybody@acme.DEV'], true],
    ['of a listed domain in its ASCII form', ['x@xn--bcher-kva.test'], true],
    ['of a listed domain in wide letters', ['x@ａｃｍｅ.dev'], true],
    ['an address with a domain in its ASCII form', ['ö@xn--bcher-kva.example'], true],
    ['of a subdomain', ['x@mail.acme.dev'], false],
    ['of a domain that ends like it', ['x@notacme.dev'], false],
    ['of a domain that begins like it', ['x@acme.dev.evil.test'], false],
    ['with a tag', ['ada+evil@example.com'], false],
    ['with a letter that looks alike', ['аda@example.com'], false],
    ['with a letter that is another one in lower case', ['ada@example.com'.replace('d', 'ԁ')], false],
    ['one of several', ['ada@example.com', 'bob@example.org'], false],
    ['with a dot more', ['a.da@example.com'], false],
  ])('%s', (_what, recipients, isAllowed) => {
    expect(rulesOf(policy, to(...recipients))).toEqual(isAllowed ? [] : ['recipients'])
  })

  test('the sign for Kelvin is no k', () => {
    expect(rulesOf({ recipients: { addresses: ['kate@example.com'] } }, to('\u212Aate@example.com'))).toEqual([
      'recipients',
    ])
  })

  test('what a header shows is not asked', () => {
    const named = { to: ['"ada@example.com" <bob@example.org>'], recipients: ['bob@example.org'] }

    expect(rulesOf(policy, named)).toEqual(['recipients'])
  })

  test('who is not listed may be known', () => {
    const known = { recipients: { addresses: ['ada@example.com'], segment_id: '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f' } }

    expect(new PolicyRules(known).unlisted({ recipients: ['ADA@example.com', 'Bob@example.org'] })).toEqual([
      'bob@example.org',
    ])
    expect(rulesOf(known, to('Bob@Example.org'), ['bob@example.org'])).toEqual([])
    expect(rulesOf(known, to('bob@example.org'))).toEqual(['recipients'])
  })

  test('a few of many are named', () => {
    const many = Array.from({ length: 50 }, (_, n) => `user${n}@evil.test`)
    const [refusal] = new PolicyRules(policy).objections({ ...EMAIL, ...to(...many) }, () => false)

    expect(refusal!.message).toBe(
      '`recipients` does not allow user0@evil.test, user1@evil.test, user2@evil.test and 47 others.',
    )
  })
})

describe('senders', () => {
  const policy = { senders: ['support@acme.dev', 'globex.dev'] }

  test.each([
    ['a listed address', 'support@acme.dev', true],
    ['with a name, in other letters', '"Boss" <SUPPORT@Acme.dev>', true],
    ['of a listed domain', 'anybody@globex.dev', true],
    ['another address of the domain', 'sales@acme.dev', false],
    ['with a tag', 'support+x@acme.dev', false],
    ['of a subdomain', 'x@mail.globex.dev', false],
    ['a name that looks like it', '"support@acme.dev" <eve@evil.test>', false],
    ['none at all', 'nobody', false],
  ])('%s', (_what, from, isAllowed) => {
    expect(rulesOf(policy, { from })).toEqual(isAllowed ? [] : ['senders'])
  })

  test('a Sender counts, too', () => {
    expect(rulesOf(policy, { otherSenders: ['support@acme.dev'] })).toEqual([])
    expect(rulesOf(policy, { otherSenders: ['eve@evil.test'] })).toEqual(['senders'])
  })
})

describe('no_bcc', () => {
  test.each([
    ['in to', {}, true],
    [
      'in cc, in other letters',
      { cc: ['Bob <BOB@Example.org>'], recipients: ['ada@example.com', 'bob@example.org'] },
      true,
    ],
    ['in neither', { recipients: ['ada@example.com', 'bob@example.org'] }, false],
    ['as a name alone', { to: ['"bob@example.org" <ada@example.com>'], recipients: ['bob@example.org'] }, false],
    ['with a tag that the header leaves out', { recipients: ['ada+x@example.com'] }, false],
  ] as [string, Partial<JudgedEmail>, boolean][])('%s', (_what, email, isAllowed) => {
    expect(rulesOf({ no_bcc: true }, email)).toEqual(isAllowed ? [] : ['no_bcc'])
  })
})

test('all reasons are given, in the order of the rules', () => {
  const policy = { recipients: { domains: ['acme.dev'] }, no_bcc: true, templates_only: true, senders: ['globex.dev'] }

  expect(rulesOf(policy, { recipients: ['x@example.com'] })).toEqual([
    'senders',
    'templates_only',
    'no_bcc',
    'recipients',
  ])
  expect(rulesOf({ templates_only: true }, { isTemplateAsIs: true })).toEqual([])
})

test.each([
  ['Ada+News@Example.com', 'ada@example.com'],
  ['ada+a+b@example.com', 'ada@example.com'],
  ['+only@example.com', '+only@example.com'],
  ['a.d.a+x@gmail.com', 'ada@gmail.com'],
  ['Ada@GoogleMail.com', 'ada@gmail.com'],
  ['a.da@example.com', 'a.da@example.com'],
  ['ÄDA@example.com', 'äda@example.com'],
  ['a\u0308da@bücher.example', 'äda@xn--bcher-kva.example'],
  ['ａｄａ＋x@example.com', 'ada@example.com'],
  ['\u212Aate@example.com', 'kate@example.com'],
])('%s is a way to reach %s', (address, person) => {
  expect(personOf(address)).toBe(person)
})

describe('what is counted', () => {
  const unused = () => ({ all: new Timeline(), byPerson: new Map() })
  const at = (minute: number, ...recipients: string[]) => [{ minute, recipients }]
  const rulesIn = (balance: PolicyBalance, mail: ReturnType<typeof at>) =>
    balance.objections(mail).map(({ rule }) => rule)

  test('up to the cap, and not beyond it', () => {
    const balance = new PolicyBalance({ max_emails_per_hour: 3 }, { ...unused(), all: new Timeline([[0, 1]]) })

    expect(balance.objections(at(5, 'a@x.dev', 'b@x.dev'))).toEqual([])
    balance.take(at(5, 'a@x.dev', 'b@x.dev'))
    expect(rulesIn(balance, at(6, 'c@x.dev'))).toEqual(['max_emails_per_hour'])
  })

  test('a person, by whatever address', () => {
    const balance = new PolicyBalance({ max_emails_per_recipient_per_day: 2 }, unused())
    balance.take(at(0, 'ada+1@x.dev'))

    expect(balance.objections(at(0, 'ADA+2@x.dev'))).toEqual([])
    expect(rulesIn(balance, at(0, 'ada+2@x.dev', 'ada@x.dev'))).toEqual(['max_emails_per_recipient_per_day'])
  })

  test('what leaves together, whenever it was asked for', () => {
    const balance = new PolicyBalance({ max_emails_per_hour: 2, max_emails_per_recipient_per_day: 1 }, unused())
    balance.take(at(1_000, 'ada@x.dev'))
    balance.take(at(1_030, 'bob@x.dev'))

    expect(rulesIn(balance, at(975, 'cleo@x.dev'))).toEqual(['max_emails_per_hour'])
    expect(rulesIn(balance, at(1_060, 'cleo@x.dev'))).toEqual(['max_emails_per_hour'])
    expect(rulesIn(balance, at(960, 'cleo@x.dev'))).toEqual([])
    expect(rulesIn(balance, at(1_061, 'cleo@x.dev'))).toEqual([])
    expect(rulesIn(balance, at(0, 'ada@x.dev'))).toEqual(['max_emails_per_recipient_per_day'])
    expect(rulesIn(balance, at(2_441, 'ada@x.dev'))).toEqual([])
  })

  test('a request as a whole, in whatever minutes it leaves', () => {
    const balance = new PolicyBalance({ max_emails_per_hour: 2 }, unused())
    const mail = [0, 30, 60].flatMap((minute) => at(minute, 'a@x.dev'))

    expect(rulesIn(balance, mail)).toEqual(['max_emails_per_hour'])
    expect(rulesIn(balance, mail.slice(1))).toEqual([])
  })

  test('nothing, where nothing is allowed', () => {
    expect(new PolicyBalance({ max_emails_per_day: 0 }, unused()).objections(at(0, 'a@x.dev'))).toHaveLength(1)
  })
})
