import { BlockList, isIPv4, isIPv6 } from 'node:net'

// IANA's registries of special-purpose addresses (RFC 6890 and its updates), and multicast: nothing in here is a public server.
const SPECIAL_V4 = blockListOf('ipv4', [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier NAT
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's agent of the host, at an address that was given out
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
 * Whether the address is one that untrusted input may make us connect to. IPv4 addresses that come wrapped into IPv6 ones
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

const LOOPBACK_V4 = blockListOf('ipv4', [['127.0.0.0', 8]])
const LOOPBACK_V6 = blockListOf('ipv6', [['::1', 128]])

/** Whether the address is this machine, whatever its network. */
export function isLoopbackAddress(address: string): boolean {
  if (isIPv4(address)) return LOOPBACK_V4.check(address, 'ipv4')
  return isIPv6(address) && !address.includes('%') && LOOPBACK_V6.check(address, 'ipv6')
}

// The link that the machine is on, and what clouds tell a machine about itself, credentials included: no setting opens these.
const FORBIDDEN_V4 = blockListOf('ipv4', [
  ['169.254.0.0', 16], // link-local: AWS, Google, Azure, DigitalOcean and most others
  ['100.100.100.200', 32], // Alibaba
  ['168.63.129.16', 32], // Azure
  ['192.0.0.192', 32], // Oracle
])
const FORBIDDEN_V6 = blockListOf('ipv6', [
  ['fe80::', 10], // link-local
  ['fd00:ec2::', 32], // AWS
  ['fd20:ce::254', 128], // Google
])

/**
 * Whether nothing may make us connect to the address, also where private addresses are allowed. However an IPv4 address was wrapped,
 * what is inside counts: a network of one's own may well have a translator or a relay for it.
 */
export function isForbiddenAddress(address: string): boolean {
  if (isIPv4(address)) return FORBIDDEN_V4.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return true
  if (FORBIDDEN_V6.check(address, 'ipv6')) return true
  const groups = groupsOf(address)
  return WRAPPERS.some(({ list, at }) => {
    const isWrapped = list.check(address, 'ipv6')
    return isWrapped && FORBIDDEN_V4.check(dotted(groups[at]!, groups[at + 1]!), 'ipv4')
  })
}

/** The ways to write an IPv4 address into an IPv6 one, and the group where it begins. */
const WRAPPERS = [
  { list: blockListOf('ipv6', [['::', 96]]), at: 6 }, // IPv4-compatible
  { list: blockListOf('ipv6', [['::ffff:0:0', 96]]), at: 6 }, // IPv4-mapped
  { list: blockListOf('ipv6', [['::ffff:0:0:0', 96]]), at: 6 }, // IPv4-translated
  { list: blockListOf('ipv6', [['64:ff9b::', 96]]), at: 6 }, // NAT64
  { list: blockListOf('ipv6', [['64:ff9b:1::', 48]]), at: 6 }, // NAT64 of one's own
  { list: blockListOf('ipv6', [['2002::', 16]]), at: 1 }, // 6to4
]

function wrappedIPv4(address: string): string | null {
  const match = /^(?:::ffff|64:ff9b:):([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical(address))
  return match ? dotted(Number.parseInt(match[1]!, 16), Number.parseInt(match[2]!, 16)) : null
}

/** The URL parser writes every spelling of an address in one way. */
const canonical = (address: string) => new URL(`http://[${address}]`).hostname.slice(1, -1)

/** All eight. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = canonical(address).split('::')
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array<string>(8 - before!.length - after!.length).fill('0')
  return [...before!, ...zeros, ...after!].map((group) => Number.parseInt(group, 16))
}

const dotted = (high: number, low: number) => [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')

function blockListOf(family: 'ipv4' | 'ipv6', ranges: readonly (readonly [network: string, prefix: number])[]) {
  const list = new BlockList()
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family)
  return list
}
