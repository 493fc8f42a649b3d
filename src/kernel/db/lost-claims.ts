import { mayHaveCommitted } from '../../platform/database-errors.ts'
import { LIMITS } from './limits.ts'

/** Longer than a claim may run: then one that was given up on has either been executed or never will be. */
const UNCERTAIN_MS = 45_000
/** The same for a statement on a pooled connection. */
export const POOLED_UNCERTAIN_MS = LIMITS.slowMs + 30_000
const CHECK_EVERY_MS = 2_000

/**
 * A claim whose answer got lost may have been carried out, or may be carried out later: rows that this node holds and does not know of.
 * They are this node's as long as it lives, so it has to look for them itself, and nobody else may.
 */
export class LostClaims {
  #uncertainUntil = 0
  #nextCheckAt = 0
  #isReleasing = false

  /** What is held and not in flight is being released, or will be. */
  get isUncertain(): boolean {
    return this.#isReleasing || performance.now() < this.#uncertainUntil
  }

  /**
   * Claims, by one statement. Before it, as long as claims are uncertain, what is held and not in flight is released: no other claim is under
   * way then. One that PostgreSQL has refused has claimed nothing, and leaves nothing uncertain.
   */
  async claim<Rows>(
    claim: () => Promise<Rows>,
    release: () => Promise<unknown>,
    uncertainMs = UNCERTAIN_MS,
  ): Promise<Rows> {
    const now = performance.now()
    if (now < this.#uncertainUntil && now >= this.#nextCheckAt) {
      await this.#release(release)
      this.#nextCheckAt = performance.now() + CHECK_EVERY_MS
    }
    try {
      return await claim()
    } catch (error) {
      if (mayHaveCommitted(error)) this.markUncertain(uncertainMs)
      throw error
    }
  }

  /** One whose answer got lost may be carried out later, too. */
  async #release(release: () => Promise<unknown>) {
    this.#isReleasing = true
    try {
      await release()
    } catch (error) {
      this.markUncertain()
      throw error
    } finally {
      this.#isReleasing = false
    }
  }

  /** There may be rows that are held and not in flight. */
  markUncertain(forMs = UNCERTAIN_MS) {
    this.#uncertainUntil = Math.max(this.#uncertainUntil, performance.now() + forMs)
    this.#nextCheckAt = 0
  }
}
