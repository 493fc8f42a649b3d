import { randomBytes, timingSafeEqual } from 'node:crypto'

/** A code that opens the door once. It is kept in memory only, and printed by the process that made it. */
export class OneTimeLink {
  #code: Buffer | null = null

  make(): string {
    this.#code = randomBytes(24)
    return this.#code.toString('base64url')
  }

  /** True for the right code, and only the first time. */
  use(code: string): boolean {
    const given = Buffer.from(code, 'base64url')
    if (!this.#code || given.length !== this.#code.length || !timingSafeEqual(given, this.#code)) return false
    this.#code = null
    return true
  }
}
