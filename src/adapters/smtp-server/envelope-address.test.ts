import { expect, test } from 'vitest'
import { readEnvelopeAddress } from './envelope-address.ts'

test.each([
  ['ada@example.com', 'ada@example.com'],
  ['', ''],
  ['postmaster', 'postmaster'],
  ['Postmaster', 'Postmaster'],
  ['пример@example.com', 'пример@example.com'],
  ['дмитрий@пример.испытание', 'дмитрий@пример.испытание'],
  ['info@bücher.example', 'info@xn--bcher-kva.example'],
  ['a..b@docomo.example', 'a..b@docomo.example'],
  ['"a..b"@docomo.example', 'a..b@docomo.example'],
  ['"a b"@example.com', '"a b"@example.com'],
  ['"a@b"@example.com', '"a@b"@example.com'],
  ['"a\\"b"@example.com', '"a\\"b"@example.com'],
  ['"<a>"@example.com', '"<a>"@example.com'],
  ['пример@xn--e1afmkfd.xn--80akhbyknj4f', 'пример@пример.испытание'],
  ['a.@docomo.example', 'a.@docomo.example'],
  ['bounce+x=y=z=example.org@lists.example', 'bounce+x=y=z=example.org@lists.example'],
  ['prvs=123abc=ada@under_score.example', 'prvs=123abc=ada@under_score.example'],
  ['root@localhost', 'root@localhost'],
  ['ada@[192.0.2.1]', 'ada@[192.0.2.1]'],
  ['ada@[IPv6:2001:db8::1]', 'ada@[IPv6:2001:db8::1]'],
])('%j is read as %j', (text, address) => {
  expect(readEnvelopeAddress(text)).toBe(address)
})

test.each([
  'ada',
  '@example.com',
  'ada@',
  'ada@.example.com',
  'ada@example..com',
  'ada@-example.com',
  'ada@example.com\0',
  'ada\r@example.com',
  'ada\u0085@example.com',
  'ada\u2028@example.com',
  'ada\u202e@example.com',
  'ada\ufffd@example.com',
  'ada@exa mple.com',
  'a b@example.com',
  '"a"b"@example.com',
  'a<b@example.com',
  'ada@example.com>',
  'ada@[]',
  `${'a'.repeat(250)}@example.com`,
])('%j is none', (text) => {
  expect(readEnvelopeAddress(text)).toBeNull()
})
