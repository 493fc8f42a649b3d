import { expect, test } from 'vitest'
import { reverseName } from './reverse-name.ts'

test.each([
  ['192.0.2.1', '1.2.0.192.in-addr.arpa'],
  ['2001:db8::567:89ab', 'b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
  ['fe80::1%eth0', `1.${'0.'.repeat(28)}8.e.f.ip6.arpa`],
  ['1:2:3:4:5:6:7:8', '8.0.0.0.7.0.0.0.6.0.0.0.5.0.0.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.ip6.arpa'],
  ['::', `${'0.'.repeat(32)}ip6.arpa`],
])('the names of %s are at %s', (address, name) => {
  expect(reverseName(address)).toBe(name)
})
