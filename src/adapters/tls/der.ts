import { isIP } from 'node:net'

// Just enough DER (X.690) for certificates of our own and for asking others for one. The packages that make them bring 2 MB (node-forge,
// unmaintained key code) or 9 MB and 170 ms at every start (@peculiar/x509); this is one page, and openssl reads what it writes in the tests.

export const sequence = (...parts: Buffer[]) => element(0x30, ...parts)
export const set = (...parts: Buffer[]) => element(0x31, ...parts)
export const octets = (...parts: Buffer[]) => element(0x04, ...parts)
export const bits = (bytes: Buffer, unused = 0) => element(0x03, Buffer.from([unused]), bytes)
export const integer = (bytes: Buffer) => element(0x02, bytes)
const truth = element(0x01, Buffer.from([0xff]))
export const tagged = (number: number, ...parts: Buffer[]) => element(0xa0 + number, ...parts)

export function element(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

/** Each number after the first two as base 128, the high bit on all digits but the last. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const digits = rest.flatMap((number) => {
    const groups = [number & 0x7f]
    for (let left = number >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80)
    return groups
  })
  return element(0x06, Buffer.from([first * 40 + second, ...digits]))
}

/** Two digits of the year before 2050, four from then on: RFC 5280 wants it so. */
export function time(date: Date): Buffer {
  const text = `${date.toISOString().replace(/[-:T]|\.\d+/g, '')}`
  return date.getUTCFullYear() < 2050 ? element(0x17, Buffer.from(text.slice(2))) : element(0x18, Buffer.from(text))
}

export const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'))
export const extension = (id: string, isCritical: boolean, value: Buffer) =>
  sequence(objectId(id), ...(isCritical ? [truth] : []), octets(value))

/** The name that clients compare with the one they asked for. IPv6 addresses are no names, and nobody asks for them. */
export const alternativeName = (host: string) =>
  isIP(host) === 4 ? element(0x87, Buffer.from(host.split('.').map(Number))) : element(0x82, Buffer.from(host))

/** As PEM has it. */
export const pemOf = (label: string, der: Buffer) =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`

/** The extension that says whose certificate it is. */
export const namesExtension = (hosts: readonly string[]) =>
  extension('2.5.29.17', false, sequence(...hosts.map(alternativeName)))
