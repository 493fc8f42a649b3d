import { isIPv4, isIPv6 } from 'node:net'

// The PROXY protocol, versions 1 and 2: what a proxy says in front of a connection about the client that it is for.

/** What the beginning of a connection is. `address` is null where the proxy speaks for itself, as it does to see whether we are there. */
export type ProxyHeader =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'header'; readonly bytes: number; readonly address: string | null }

const INCOMPLETE: ProxyHeader = { kind: 'incomplete' }
const invalid = (reason: string): ProxyHeader => ({ kind: 'invalid', reason })

/** Of version 1, by its specification, with the line end. */
const MAX_LINE_BYTES = 107
const FIRST_WORD = Buffer.from('PROXY ')
const LINE = /^PROXY (?:UNKNOWN(?: [ -~]*)?|(TCP4|TCP6) ([\da-fA-F.:]+) ([\da-fA-F.:]+) (\d{1,5}) (\d{1,5}))$/

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
const FIXED_BYTES = 16
/** Addresses and what else a proxy adds: names and certificates of its client. */
const MAX_MORE_BYTES = 4_096

/** More than this nobody has to keep to know what it is. */
export const MAX_HEADER_BYTES = FIXED_BYTES + MAX_MORE_BYTES

export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (isBeginningOf(SIGNATURE, bytes)) return bytes.length < FIXED_BYTES ? INCOMPLETE : readBinary(bytes)
  if (isBeginningOf(FIRST_WORD, bytes)) return readLine(bytes)
  return invalid('no PROXY header')
}

/** As far as both reach. */
const isBeginningOf = (known: Buffer, bytes: Buffer) => {
  const length = Math.min(known.length, bytes.length)
  return known.compare(bytes, 0, length, 0, length) === 0
}

function readLine(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, MAX_LINE_BYTES).indexOf('\r\n')
  if (end < 0) return bytes.length < MAX_LINE_BYTES ? INCOMPLETE : invalid('PROXY line too long')
  const match = LINE.exec(bytes.toString('latin1', 0, end))
  if (!match) return invalid('malformed PROXY line')
  const [, family, source, target, ...ports] = match
  const header = { kind: 'header', bytes: end + 2 } as const
  if (family === undefined) return { ...header, address: null }
  const isAddress = family === 'TCP4' ? isIPv4 : isIPv6
  const isWhole = isAddress(source!) && isAddress(target!) && ports.every((port) => Number(port) <= 65_535)
  return isWhole ? { ...header, address: plainAddress(source!) } : invalid('malformed PROXY line')
}

const LOCAL = 0x20
const PROXY = 0x21
/** By address family and protocol: how long the source is, and both ends with their ports. */
const FAMILIES: Readonly<Record<number, { readonly source: number; readonly all: number }>> = {
  17: { source: 4, all: 12 },
  33: { source: 16, all: 36 },
}
const UNSPECIFIED = 0

function readBinary(bytes: Buffer): ProxyHeader {
  const [command, family, length] = [bytes[12]!, bytes[13]!, bytes.readUInt16BE(14)]
  if (command !== LOCAL && command !== PROXY) return invalid('unknown version or command in a PROXY header')
  if (length > MAX_MORE_BYTES) return invalid('PROXY header too long')
  const ends = FAMILIES[family]
  const isAnonymous = command === LOCAL || family === UNSPECIFIED
  if (!isAnonymous && (!ends || length < ends.all)) return invalid('unknown address family in a PROXY header')
  if (bytes.length < FIXED_BYTES + length) return INCOMPLETE
  const header = { kind: 'header', bytes: FIXED_BYTES + length } as const
  if (isAnonymous) return { ...header, address: null }
  return { ...header, address: addressOf(bytes.subarray(FIXED_BYTES, FIXED_BYTES + ends!.source)) }
}

function addressOf(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16))
  return plainAddress(groups.join(':'))
}

/** In its short form; an IPv4 address inside an IPv6 one as it is. */
function plainAddress(address: string): string {
  if (isIPv4(address)) return address
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(short)
  if (!mapped) return short
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
