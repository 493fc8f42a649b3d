import { generateKeyPairSync, hash, sign } from 'node:crypto'
import type { Certificate } from './certificate.ts'
import {
  bits,
  ECDSA_WITH_SHA256,
  extension,
  integer,
  namesExtension,
  objectId,
  octets,
  sequence,
  set,
  tagged,
} from './der.ts'
import { selfSigned } from './self-signed.ts'

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'
const ACME_IDENTIFIER = '1.3.6.1.5.5.7.1.31'

/** A new key, and what an authority is asked with for a certificate of it (PKCS #10). */
export function certificateRequest(hosts: readonly string[]): { readonly key: string; readonly request: Buffer } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const content = sequence(
    integer(Buffer.from([0])),
    sequence(), // who it is for is in the names
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0, sequence(objectId(EXTENSION_REQUEST), set(sequence(namesExtension(hosts))))),
  )
  const request = sequence(content, ECDSA_WITH_SHA256, bits(sign('sha256', content, privateKey)))
  return { key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), request }
}

const DAY_MS = 86_400_000

/** What an authority is shown over TLS that asks whether we have a name (RFC 8737). */
export function challengeCertificate(host: string, keyAuthorization: string, now: Date): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const digest = Buffer.from(hash('sha256', keyAuthorization, 'hex'), 'hex')
  const cert = selfSigned({
    ...{ host, privateKey, publicKey },
    from: new Date(now.getTime() - DAY_MS),
    until: new Date(now.getTime() + DAY_MS),
    extensions: [extension(ACME_IDENTIFIER, true, octets(digest))],
  })
  return { key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), cert }
}
