import type { DeliveryPause } from './pause-store.ts'

/** So many come back in a second, for so long: the first ones find out for all others whether the pause is over. */
const BACK_PER_SECOND = 20
const BACK_SECONDS = 1_800
const MAX_PAUSES = 10_000

/** When mail comes back that waits for the end of a pause: not all of it in one moment. */
export class PauseEnds {
  /** How much waits for each, by the pause and its end. */
  readonly #waiting = new Map<string, number>()

  /** By how much one more comes back after the end. */
  secondsBehind({ destination, kind, identity, pausedUntil }: DeliveryPause): number {
    const key = `${destination} ${kind} ${identity} ${pausedUntil.toISOString()}`
    const before = this.#waiting.get(key) ?? 0
    if (this.#waiting.size >= MAX_PAUSES) this.#waiting.clear()
    this.#waiting.set(key, before + 1)
    return Math.floor(before / BACK_PER_SECOND) % BACK_SECONDS
  }
}
