import { isIPv4 } from 'node:net'

/** The name under which the DNS has the names of an address: `1.2.0.192.in-addr.arpa` for 192.0.2.1. */
export function reverseName(address: string): string {
  if (isIPv4(address)) return `${address.split('.').reverse().join('.')}.in-addr.arpa`
  return `${nibbles(address).reverse().join('.')}.ip6.arpa`
}

/** The 32 hexadecimal digits of an IPv6 address. */
function nibbles(address: string): string[] {
  // The URL parser writes any IPv6 address in groups of hexadecimal digits.
  const canonical = new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const groups = (part: string | undefined) => (part ? part.split(':') : [])
  const [before, behind] = [groups(head), groups(tail)]
  const zeros = Array<string>(8 - before.length - behind.length).fill('0')
  return [...before, ...zeros, ...behind].flatMap((group) => [...group.padStart(4, '0')])
}
