import { isIPv6 } from 'node:net'

/**
 * Whom an address stands for when we count: who owns one IPv6 address owns the 2^64 beside it. A connection that is closed already has
 * none, whatever the types of the framework say.
 */
export function clientOf(address: string | undefined): string {
  if (address === undefined) return ''
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.toLowerCase().split('%')[0]!.split('::')
  const groups = head ? head.split(':') : []
  const rest = tail ? tail.split(':') : []
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0')
  return [...groups, ...zeros, ...rest]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
