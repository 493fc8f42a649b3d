import { BlockList, isIPv4, isIPv6 } from 'node:net'

// IANA's registries of special-purpose addresses (RFC 6890 and its updates), and multicast: nothing in here is a public server.
const SPECIAL_V4 = blockListOf('ipv4', [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier NAT
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local; the metadata service of every cloud is in here
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
])

// For IPv6 the list is turned round: only 2000::/3 was ever given out, so the rest needs no naming.
const GLOBAL_V6 = blockListOf('ipv6', [['2000::', 3]])
const SPECIAL_V6 = blockListOf('ipv6', [
  ['2001::', 23], // protocol assignments: Teredo (an IPv4 address in disguise), benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: an IPv4 address in disguise
  ['3fff::', 20], // documentation
])

/**
 * Whether the address is one that a stranger may make us connect to. IPv4 addresses that come wrapped into IPv6 ones
 * (`::ffff:…`, and NAT64's `64:ff9b::…`, the only way to IPv4 on an IPv6-only network) are judged by what is inside.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !SPECIAL_V4.check(address, 'ipv4')
  // A zone (`fe80::1%eth0`) only makes sense on a link, and a link is not public.
  if (!isIPv6(address) || address.includes('%')) return false
  const wrapped = wrappedIPv4(address)
  if (wrapped) return isPublicAddress(wrapped)
  return GLOBAL_V6.check(address, 'ipv6') && !SPECIAL_V6.check(address, 'ipv6')
}

function wrappedIPv4(address: string): string | null {
  // The URL parser writes every spelling of an address in the one canonical way.
  const canonical = new URL(`http://[${address}]`).hostname
  const match = /^\[(?:::ffff|64:ff9b:):([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(canonical)
  if (!match) return null
  const [high, low] = [Number.parseInt(match[1]!, 16), Number.parseInt(match[2]!, 16)]
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

function blockListOf(family: 'ipv4' | 'ipv6', ranges: readonly (readonly [network: string, prefix: number])[]) {
  const list = new BlockList()
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family)
  return list
}
