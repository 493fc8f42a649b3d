import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { terminates } from '../../test/harness/watchdog.ts'
import { domainOf, isAddress, isDomain, needsSmtpUtf8, parseMailbox, toAsciiDomain, wireAddress } from './address.ts'

describe('a mailbox', () => {
  test.each([
    ['ada@example.com', null, 'ada@example.com'],
    ['  ada@example.com\n', null, 'ada@example.com'],
    ['<ada@example.com>', null, 'ada@example.com'],
    ['Ada <ada@example.com>', 'Ada', 'ada@example.com'],
    ['Ada Lovelace<ada@example.com>', 'Ada Lovelace', 'ada@example.com'],
    ['Ada < ada@example.com >', 'Ada', 'ada@example.com'],
    ['"Lovelace, Ada" <ada@example.com>', 'Lovelace, Ada', 'ada@example.com'],
    ['"Ada \\"the first\\" \\\\" <ada@example.com>', 'Ada "the first" \\', 'ada@example.com'],
    ['"<ada@example.org>" <ada@example.com>', '<ada@example.org>', 'ada@example.com'],
    ['"" <ada@example.com>', null, 'ada@example.com'],
    ['Acme, Inc. <ada@example.com>', 'Acme, Inc.', 'ada@example.com'],
    ['ada@home <ada@example.com>', 'ada@home', 'ada@example.com'],
    ['Ада 👩‍💻 <ада@пример.рф>', 'Ада 👩‍💻', 'ада@пример.рф'],
    ['Jörg <jörg@müller.example>', 'Jörg', 'jörg@müller.example'],
  ])('%j is read', (text, name, address) => {
    expect(parseMailbox(text)).toEqual({ name, address })
  })

  test.each([
    '',
    'ada',
    '@example.com',
    'ada@',
    'ada@localhost',
    'Ada <ada>',
    'Ada ada@example.com',
    'ada@example.com>',
    '"Ada <ada@example.com>',
    '"Ada" Lovelace <ada@example.com>',
    'Ada <ada@example.com> Lovelace',
    'ada@example.com, grace@example.org',
    'Ada <ada@example.com>, Grace <grace@example.org>',
    'ada@example.com, Grace <grace@example.org>',
    'ada@example.com; Grace <grace@example.org>',
    'Ada\r\nBcc: eve@example.com <ada@example.com>',
    'Ada\n <ada@example.com>',
    '"Ada\u0000" <ada@example.com>',
    'Ada\u2028Eve <ada@example.com>',
    'Ada \ud800 <ada@example.com>',
    'Ada <ada@exam\tple.com>',
    'Ada <a da@example.com>',
  ])('%j is not one', (text) => {
    expect(parseMailbox(text)).toBeNull()
  })

  test('is what it was after it has been written in quotes', () => {
    // What ends a line has no place in a name, and is refused.
    const isName = (text: string) => text.trim() === text && !/[\u2028\u2029]/.test(text)
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter(isName)
    fc.assert(
      fc.property(name, (text) => {
        const quoted = `"${text.replace(/["\\]/g, '\\$&')}" <ada@example.com>`
        expect(parseMailbox(quoted)?.name).toBe(text)
      }),
    )
  })

  test.each(['<', '"', '\\', 'a', ' ', 'a@', '.', 'é', '"a" <', '\\"'])(
    '10 MB of %j take time for their length',
    (piece) => {
      const hostile = piece.repeat(10_000_000 / piece.length)

      for (const text of [hostile, `"${hostile}" <ada@example.com>`, `${hostile}@example.com`, `ada@${hostile}`]) {
        const judged = terminates(() => [parseMailbox(text), isAddress(text), isDomain(text)])
        expect(judged).toEqual([null, false, false])
      }
    },
  )
})

test('a domain is judged by its ASCII form', () => {
  expect(isDomain('müller.example')).toBe(true)
  expect(isDomain(`${'ü'.repeat(60)}.example`)).toBe(false)
  expect(isDomain('a.-b')).toBe(false)
  expect(isDomain('xn--\u0300.example')).toBe(false)
})

test('a domain is asked for in ASCII and lower case', () => {
  expect(domainOf('Ada@Example.COM')).toBe('example.com')
  expect(toAsciiDomain('Straße.Example')).toBe('xn--strae-oqa.example')
  expect(toAsciiDomain('EXAMPLE.com')).toBe('example.com')
  expect(toAsciiDomain('mail.0x7f')).toBe('mail.0x7f')
})

test('only a local part beyond ASCII needs SMTPUTF8', () => {
  expect(needsSmtpUtf8('ada@example.com')).toBe(false)
  expect(needsSmtpUtf8('ada@müller.example')).toBe(false)
  expect(needsSmtpUtf8('jörg@example.com')).toBe(true)
})

test('on the wire an address is ASCII if it can be, and quoted if it must be', () => {
  expect(wireAddress('Ada@Müller.example')).toBe('Ada@xn--mller-kva.example')
  expect(wireAddress('Ada@Example.com')).toBe('Ada@Example.com')
  expect(wireAddress('jörg@müller.example')).toBe('jörg@müller.example')
  expect(wireAddress('.a..b.@example.com')).toBe('".a..b."@example.com')
})
