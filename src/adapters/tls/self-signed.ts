import { type KeyObject, randomBytes, sign } from 'node:crypto'
import {
  bits,
  ECDSA_WITH_SHA256,
  element,
  extension,
  integer,
  namesExtension,
  objectId,
  pemOf,
  sequence,
  set,
  tagged,
  time,
} from './der.ts'

/** A certificate that a P-256 key makes for itself, as PEM. */
export function selfSigned(options: {
  readonly host: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  readonly from: Date
  readonly until: Date
  /** More extensions. */
  readonly extensions?: readonly Buffer[]
}): string {
  const { host, privateKey, publicKey, from, until, extensions = [] } = options
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
        namesExtension([host]),
        ...extensions,
      ),
    ),
  )
  return pemOf('CERTIFICATE', sequence(content, ECDSA_WITH_SHA256, bits(sign('sha256', content, privateKey))))
}
