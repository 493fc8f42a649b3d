import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto'

/** The key by which an authority knows us (RFC 8555): signs what it is asked. */
export class AccountKey {
  readonly #private: KeyObject
  /** The public part. The order of its members is that of RFC 7638. */
  readonly jwk: { readonly crv: string; readonly kty: string; readonly x: string; readonly y: string }
  readonly thumbprint: string

  constructor(pem: string) {
    this.#private = createPrivateKey(pem)
    const { x, y } = createPublicKey(this.#private).export({ format: 'jwk' }) as { x: string; y: string }
    this.jwk = { crv: 'P-256', kty: 'EC', x, y }
    this.thumbprint = hash('sha256', JSON.stringify(this.jwk), 'base64url')
  }

  static make(): string {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    return String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  }

  /** What is asked, signed (JWS). `payload` null: only the object at the URL is asked for (POST-as-GET). */
  sign(header: object, payload: object | null): string {
    const encoded = {
      protected: encode({ alg: 'ES256', ...header }),
      payload: payload === null ? '' : encode(payload),
    }
    const content = Buffer.from(`${encoded.protected}.${encoded.payload}`)
    const signature = sign('sha256', content, { key: this.#private, dsaEncoding: 'ieee-p1363' }).toString('base64url')
    return JSON.stringify({ ...encoded, signature })
  }
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
