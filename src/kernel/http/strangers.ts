import { setTimeout as wait } from 'node:timers/promises'
import { clientOf } from '../../platform/client-address.ts'
import { FairQueue } from '../../platform/concurrency/fair-queue.ts'
import { TokenBuckets } from '../../platform/concurrency/token-buckets.ts'
import { Problem } from './problem.ts'

/** Wrong keys of an address in a minute. A program with an old key asks more often than somebody who mistypes one. */
const WRONG_KEYS_A_MINUTE = 1_000
const REMEMBERED = 10_000
/** Beyond that they wait for the answer, each connection a second: 64 of them at full speed took the whole processor. */
const HOLD_MS = 1_000
const MOST_HELD = 1_000

/**
 * Keeps those away who try one key after another. A key that was right before is never held up by them, wherever it comes from:
 * many callers may share an address, behind a proxy that does not tell them apart for instance. Of the others only a few are
 * looked up at a time, an address after the other, so that guessing takes no part of the database to speak of.
 */
export class Strangers {
  readonly #wrongKeys: TokenBuckets
  readonly #lookUps = new FairQueue({ places: 8, perTenant: 4, waitingPerTenant: 100, waitMs: 10_000 })
  /** Digests of keys that were right, the one that was used longest ago first. */
  readonly #right = new Set<string>()

  readonly #holdMs: number
  #held = 0

  constructor(wrongKeysAMinute = WRONG_KEYS_A_MINUTE, holdMs = HOLD_MS) {
    this.#holdMs = holdMs
    this.#wrongKeys = new TokenBuckets({ limit: wrongKeysAMinute, periodMs: 60_000 })
  }

  async lookUp<Found>(digest: string, address: string, find: () => Promise<Found | null>): Promise<Found | null> {
    if (this.#right.has(digest)) {
      const found = await find()
      if (found) this.#remember(digest)
      else this.#right.delete(digest)
      return found
    }
    const client = clientOf(address)
    if (!this.#wrongKeys.take(client)) {
      await this.#hold()
      throw tooManyWrongKeys()
    }
    const found = await this.#lookUps.run(client, find)
    if (found) {
      this.#wrongKeys.take(client, -1)
      this.#remember(digest)
    }
    return found
  }

  async #hold() {
    if (this.#held >= MOST_HELD) return
    this.#held++
    await wait(this.#holdMs, undefined, { ref: false })
    this.#held--
  }

  #remember(digest: string) {
    // To the end of the line: it is in use.
    this.#right.delete(digest)
    this.#right.add(digest)
    if (this.#right.size > REMEMBERED) this.#right.delete(this.#right.values().next().value!)
  }
}

const tooManyWrongKeys = () =>
  new Problem('rate_limit_exceeded', 'Too many requests with API keys that are not valid. Try again in a minute.')
