import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a link stands for. Kept short: it travels in URLs. */
export type LinkPayload = Readonly<Record<string, string>>

/** Makes and reads tokens that only this installation can make: what they carry can be read by anybody and changed by nobody. */
export class LinkSigner {
  readonly #key: Buffer

  constructor(key: Buffer) {
    this.#key = key
  }

  sign(purpose: string, payload: LinkPayload, expiresAt: Date | null): string {
    const content = Buffer.from(
      JSON.stringify({ ...payload, ...(expiresAt && { exp: expiresAt.getTime() }) }),
    ).toString('base64url')
    return `${content}.${this.#mac(purpose, content)}`
  }

  /** Null when the token is not ours, was made for another purpose, or is too old. */
  read(purpose: string, token: string, now: Date): LinkPayload | null {
    const [content = '', mac = '', ...rest] = token.split('.')
    if (rest.length > 0) return null
    const expected = Buffer.from(this.#mac(purpose, content))
    const given = Buffer.from(mac)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
    const { exp, ...payload } = JSON.parse(Buffer.from(content, 'base64url').toString())
    return exp !== undefined && exp < now.getTime() ? null : payload
  }

  #mac(purpose: string, content: string) {
    return createHmac('sha256', this.#key).update(`${purpose}\0${content}`).digest('base64url')
  }
}
