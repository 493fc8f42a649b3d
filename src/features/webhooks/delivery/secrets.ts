import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Sealer } from '../../../kernel/secrets.ts'

const PREFIX = 'whsec_'

/** `whsec_` and 24 bytes as base64: what every library for checking signatures takes. */
export const newSecret = () => `${PREFIX}${randomBytes(24).toString('base64')}`

/** Of any service that signs in this way: the standard allows 24 to 64 bytes. */
export const isSecret = (text: string) => /^whsec_[A-Za-z0-9+/]{22,100}={0,2}$/.test(text)

export const contextOf = (webhookId: string) => `webhook:${webhookId}`

export const sealSecret = (sealer: Sealer, webhookId: string, secret: string): Buffer =>
  sealer.seal(secret, contextOf(webhookId))

export const openSecret = (sealer: Sealer, webhookId: string, sealed: Buffer): string =>
  sealer.open(sealed, contextOf(webhookId))

/** The bytes that sign are those that the text stands for. */
export const signingKey = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'))

const MAX_WEBHOOKS = 10_000

/** Opens sealed secrets once, as long as there is room to remember them. */
export class SigningKeys {
  readonly #sealer: Sealer
  readonly #keys = new Map<string, readonly KeyObject[]>()

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  /** `sealed` is base64 with commas between. What is sealed anew is another text, so a text always stands for the same keys. */
  get(webhookId: string, sealed: string): readonly KeyObject[] {
    const known = this.#keys.get(sealed)
    if (known) return known
    const open = (text: string) => signingKey(openSecret(this.#sealer, webhookId, Buffer.from(text, 'base64')))
    const keys = sealed.split(',').map(open)
    if (this.#keys.size >= MAX_WEBHOOKS) this.#keys.clear()
    this.#keys.set(sealed, keys)
    return keys
  }
}
