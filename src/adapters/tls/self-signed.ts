import { type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

// Just enough DER (X.690) for one kind of certificate. The packages that make them bring 2 MB (node-forge, unmaintained key
// code) or 9 MB and 170 ms at every start (@peculiar/x509); this is one page, and openssl reads what it writes in the tests.

const sequence = (...parts: Buffer[]) => element(0x30, ...parts)
const set = (...parts: Buffer[]) => element(0x31, ...parts)
const octets = (...parts: Buffer[]) => element(0x04, ...parts)
const bits = (bytes: Buffer, unused = 0) => element(0x03, Buffer.from([unused]), bytes)
const integer = (bytes: Buffer) => element(0x02, bytes)
const truth = element(0x01, Buffer.from([0xff]))
const tagged = (number: number, ...parts: Buffer[]) => element(0xa0 + number, ...parts)

function element(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

/** Each number after the first two as base 128, the high bit on all digits but the last. */
function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const digits = rest.flatMap((number) => {
    const groups = [number & 0x7f]
    for (let left = number >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80)
    return groups
  })
  return element(0x06, Buffer.from([first * 40 + second, ...digits]))
}

/** Two digits of the year before 2050, four from then on: RFC 5280 wants it so. */
function time(date: Date): Buffer {
  const text = `${date.toISOString().replace(/[-:T]|\.\d+/g, '')}`
  return date.getUTCFullYear() < 2050 ? element(0x17, Buffer.from(text.slice(2))) : element(0x18, Buffer.from(text))
}

const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'))
const extension = (id: string, isCritical: boolean, value: Buffer) =>
  sequence(objectId(id), ...(isCritical ? [truth] : []), octets(value))

/** The name that clients compare with the one they asked for. IPv6 addresses are no names, and nobody asks for them. */
const alternativeName = (host: string) =>
  isIP(host) === 4 ? element(0x87, Buffer.from(host.split('.').map(Number))) : element(0x82, Buffer.from(host))

/** A certificate that a P-256 key makes for itself, as PEM. */
export function selfSigned(options: {
  readonly host: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  readonly from: Date
  readonly until: Date
}): string {
  const { host, privateKey, publicKey, from, until } = options
  const name = sequence(set(sequence(objectId('2.5.4.3'), element(0x0c, Buffer.from(host.slice(0, 64))))))
  const serial = randomBytes(16)
  serial[0] = (serial[0]! & 0x7f) | 0x40 // positive, and no zeros in front
  const content = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(serial),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(
      3,
      sequence(
        extension('2.5.29.19', true, sequence()), // an end, not an authority
        extension('2.5.29.15', true, bits(Buffer.from([0x80]), 7)), // signs handshakes
        extension('2.5.29.37', false, sequence(objectId('1.3.6.1.5.5.7.3.1'))), // as a server
        extension('2.5.29.17', false, sequence(alternativeName(host))),
      ),
    ),
  )
  const certificate = sequence(content, ECDSA_WITH_SHA256, bits(sign('sha256', content, privateKey)))
  const lines = certificate.toString('base64').replace(/.{64}(?=.)/g, '$&\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}
