import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Siblings } from '../../platform/siblings.ts'

const CODE_BYTES = 24
const QUESTION = 'dashboard: use link'

/** A code that signs in once. It is kept in memory only, and printed by the process that made it; any process behind the same port takes it. */
export class OneTimeLink {
  readonly #siblings: Siblings | null
  #code: Buffer | null = null

  constructor(siblings: Siblings | null = null) {
    this.#siblings = siblings
    siblings?.answer(QUESTION, async (code) => typeof code === 'string' && this.#take(Buffer.from(code, 'base64url')))
  }

  make(): string {
    this.#code = randomBytes(CODE_BYTES)
    return this.#code.toString('base64url')
  }

  /** True for the right code, and only the first time. */
  async use(code: string): Promise<boolean> {
    const given = Buffer.from(code, 'base64url')
    if (given.length !== CODE_BYTES) return false
    return this.#take(given) || ((await this.#siblings?.ask(QUESTION, code)) ?? []).includes(true)
  }

  #take(given: Buffer): boolean {
    if (!this.#code || given.length !== CODE_BYTES || !timingSafeEqual(given, this.#code)) return false
    this.#code = null
    return true
  }
}
