import { setTimeout as wait } from 'node:timers/promises'
import { clientOf } from '../../platform/client-address.ts'
import { FairQueue } from '../../platform/concurrency/fair-queue.ts'
import { TokenBuckets } from '../../platform/concurrency/token-buckets.ts'
import { Problem } from './problem.ts'

/** Wrong keys of an address in a minute. A program with an old key asks more often than somebody who mistypes one. */
const MAX_WRONG_KEYS_A_MINUTE = 1_000
const MAX_KNOWN_GOOD = 10_000
/** Tarpit: beyond that they wait for the answer, each connection a second: 64 of them at full speed took the whole processor. */
const TARPIT_MS = 1_000
const MAX_TARPITTED = 1_000

/**
 * Throttles whoever tries one key after another. A key that was right before is never held up by them, wherever it comes from:
 * many callers may share an address, behind a proxy that does not tell them apart for instance. Of the others only a few are
 * looked up at a time, an address after the other, so that guessing takes no part of the database to speak of.
 */
export class AuthThrottle {
  readonly #wrongKeys: TokenBuckets
  readonly #lookUps = new FairQueue({ slots: 8, perTenant: 4, waitingPerTenant: 100, waitMs: 10_000 })
  /** Digests of keys that were right, the one that was used longest ago first. */
  readonly #knownGood = new Set<string>()

  readonly #delayMs: number
  #tarpitted = 0

  constructor(wrongKeysAMinute = MAX_WRONG_KEYS_A_MINUTE, delayMs = TARPIT_MS) {
    this.#delayMs = delayMs
    this.#wrongKeys = new TokenBuckets({ limit: wrongKeysAMinute, periodMs: 60_000 })
  }

  async lookUp<Found>(digest: string, address: string, find: () => Promise<Found | null>): Promise<Found | null> {
    if (this.#knownGood.has(digest)) {
      const found = await find()
      if (found) this.#remember(digest)
      else this.#knownGood.delete(digest)
      return found
    }
    const client = clientOf(address)
    if (!this.#wrongKeys.take(client)) {
      await this.#tarpit()
      throw tooManyWrongKeys()
    }
    const found = await this.#lookUps.run(client, find)
    if (found) {
      this.#wrongKeys.take(client, -1)
      this.#remember(digest)
    }
    return found
  }

  async #tarpit() {
    if (this.#tarpitted >= MAX_TARPITTED) return
    this.#tarpitted++
    await wait(this.#delayMs, undefined, { ref: false })
    this.#tarpitted--
  }

  #remember(digest: string) {
    // To the end of the line: it is in use.
    this.#knownGood.delete(digest)
    this.#knownGood.add(digest)
    if (this.#knownGood.size > MAX_KNOWN_GOOD) this.#knownGood.delete(this.#knownGood.values().next().value!)
  }
}

const tooManyWrongKeys = () =>
  new Problem('rate_limit_exceeded', 'Too many requests with invalid API keys. Try again in a minute.')
