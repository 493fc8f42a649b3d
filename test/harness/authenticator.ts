import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()

/** What passkeys are made with, as CBOR (RFC 8949): integers, bytes, text and maps of few entries. */
function cbor(value: number | Uint8Array | string | ReadonlyMap<number | string, unknown>): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  const entries = [...value].flatMap(([key, one]) => [cbor(key), cbor(one as never)])
  return Buffer.concat([head(5, value.size), ...entries])
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}

const PRESENT = 0x01
const VERIFIED = 0x04
const WITH_CREDENTIAL = 0x40

interface Place {
  readonly origin: string
  readonly rpId: string
}

/** A device with one passkey, ES256, that answers what a page asks. What it says is as wrong as the test wants. */
export function authenticator({ origin, rpId }: Place = { origin: 'http://localhost:4025', rpId: 'localhost' }) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(32)
  let counter = 0

  const clientData = (type: string, challenge: string, place: Place) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: place.origin, crossOrigin: false }))
  const authenticatorData = (flags: number, place: Place) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(place.rpId), Buffer.from([flags]), count])
  }
  const credential = { id: base64url(id), rawId: base64url(id), type: 'public-key' as const }

  return {
    /** Makes the passkey. */
    register({ challenge }: { challenge: string }) {
      const key = new Map<number, number | Buffer>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x!, 'base64url')],
        [-3, Buffer.from(y!, 'base64url')],
      ])
      const length = Buffer.from([0, id.length])
      const authData = Buffer.concat([
        authenticatorData(PRESENT | VERIFIED | WITH_CREDENTIAL, { origin, rpId }),
        ...[Buffer.alloc(16), length, id, cbor(key)],
      ])
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ])
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', challenge, { origin, rpId })),
          attestationObject: base64url(cbor(attestation)),
          transports: ['internal'],
        },
      }
    },
    /** Uses it. */
    answer({ challenge }: { challenge: string }, wrong: Partial<Place> & { readonly isUnverified?: true } = {}) {
      counter++
      const place = { origin, rpId, ...wrong }
      const data = authenticatorData(wrong.isUnverified ? PRESENT : PRESENT | VERIFIED, place)
      const json = clientData('webauthn.get', challenge, place)
      const signature = createSign('sha256')
        .update(Buffer.concat([data, sha256(json)]))
        .sign(privateKey)
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(json),
          authenticatorData: base64url(data),
          signature: base64url(signature),
        },
      }
    },
  }
}
