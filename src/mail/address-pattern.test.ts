import { expect, test } from 'vitest'
import { AddressPattern, ERASED_ADDRESS } from './address-pattern.ts'

const ada = new AddressPattern('Ada@Example.com')

test.each([
  'ada@example.com',
  'ADA@EXAMPLE.COM',
  'ada+news@example.com',
  'Ada Lovelace <ada@example.com>',
  'mailto:ada@example.com?subject=x',
  'https://shop.example/?email=ada%40example.com&x=1',
  'to%3Aada%2Bshop%40example.com',
  '{"text":"Hello\\nada@example.com"}',
  '{"to":"\\u003cada\\u0040example.com\\u003e"}',
  'ada&#64;example.com',
  'Write to ada@example.com.',
  '„ada@example.com“',
])('%s names the person', (text) => {
  expect(ada.isIn(text)).toBe(true)
  expect(ada.redact(text)).toContain(ERASED_ADDRESS)
  expect(ada.isIn(ada.redact(text))).toBe(false)
})

test.each([
  'nada@example.com',
  'x.ada@example.com',
  'ada@example.community',
  'ada@example.com.au',
  'ada@mail.example.com',
  'ada@example-com',
  'adaX@example.com',
  'ada at example.com',
])('%s is somebody else', (text) => {
  expect(ada.isIn(text)).toBe(false)
  expect(ada.redact(text)).toBe(text)
})

test('an address that is given with a tag is that address alone', () => {
  const tagged = new AddressPattern('ada+news@example.com')

  expect(tagged.isIn('ADA+News@example.com')).toBe(true)
  expect(tagged.isIn('ada@example.com')).toBe(false)
  expect(tagged.isIn('ada+shop@example.com')).toBe(false)
})

test('a domain is the same in letters and in ASCII, and so is text without accents', () => {
  for (const given of ['ädä@bücher.example', 'ÄDÄ@xn--bcher-kva.example']) {
    const pattern = new AddressPattern(given)
    for (const text of ['ädä@bücher.example', 'Ädä@XN--BCHER-KVA.example', '%C3%A4d%C3%A4%40b%C3%BCcher.example'])
      expect(pattern.redact(text), `${given} in ${text}`).toBe(ERASED_ADDRESS)
    expect(pattern.isIn('ada@bucher.example')).toBe(true)
    expect(String(pattern.redactBytes(Buffer.from('<ädä@bücher.example>')))).not.toContain('cher')
  }
})

test('a mailbox goes with its name, and the others of a list stay', () => {
  expect(ada.redact('"Lovelace, Ada" <ada@example.com>')).toBe(ERASED_ADDRESS)
  expect(ada.redact('"Lovelace, Ada" <ada@example.com>, "Bob" <bob@example.com>')).toBe(
    `<${ERASED_ADDRESS}>, "Bob" <bob@example.com>`,
  )
  expect(
    ada.redactJson({
      to: ['Ada <ada@example.com>', 'Bob <bob@example.com>'],
      by: { 'ada@example.com': 1 },
      contact: { email: 'ada@example.com', first_name: 'Ada', id: 'x' },
    }),
  ).toEqual({
    to: [ERASED_ADDRESS, 'Bob <bob@example.com>'],
    by: { [ERASED_ADDRESS]: 1 },
    contact: { email: ERASED_ADDRESS, first_name: null, id: 'x' },
  })
})

test('bytes keep their number', () => {
  const bytes = Buffer.from('To: Ada <ada+1@example.com>\r\n\r\nÄ ada@example.com')
  const masked = ada.redactBytes(bytes)!

  expect(masked.length).toBe(bytes.length)
  expect(masked.toString()).toBe('To: Ada <xxxxx@xxxxxxx.xxx>\r\n\r\nÄ xxx@xxxxxxx.xxx')
  expect(ada.redactBytes(Buffer.from('bob@example.com'))).toBeNull()
})

test('a pattern for a local part of special characters is one', () => {
  const odd = new AddressPattern(`o'r{e}|$i*ly?^@example.com`)

  expect(odd.redact(`see O'R{E}|$i*ly?^@example.com`)).toBe(`see ${ERASED_ADDRESS}`)
})

test('names that programs make up of it are told from those of others', () => {
  expect(ada.isInName('welcome-ada@example.com')).toBe(true)
  expect(ada.isInName('welcome:ada@example.com/1')).toBe(true)
  expect(ada.isInName('welcome-nada@example.com')).toBe(false)
})
