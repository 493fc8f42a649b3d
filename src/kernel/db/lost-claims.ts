/** Longer than a statement may run: then a claim that was given up on has either been executed or never will be. */
const SUSPECT_MS = 45_000
const LOOK_EVERY_MS = 2_000

/**
 * A claim whose answer got lost may have been carried out, or may be carried out later: rows that this node holds and does not know of.
 * They are this node's as long as it lives, so it has to look for them itself, and nobody else may.
 */
export class LostClaims {
  #suspectUntil = 0
  #nextLookAt = 0

  /** Claims. Before it, as long as there is a suspicion, what is held and not in hand is given back: no other claim is under way then. */
  async claim<Rows>(claim: () => Promise<Rows>, giveBack: () => Promise<unknown>): Promise<Rows> {
    const now = performance.now()
    if (now < this.#suspectUntil && now >= this.#nextLookAt) {
      await giveBack()
      this.#nextLookAt = performance.now() + LOOK_EVERY_MS
    }
    try {
      return await claim()
    } catch (error) {
      this.suspect()
      throw error
    }
  }

  /** There may be rows that are held and not in hand. */
  suspect() {
    this.#suspectUntil = performance.now() + SUSPECT_MS
    this.#nextLookAt = 0
  }
}
