import { isPublicAddress } from '../../../adapters/dns/public-address.ts'
import { clientOf } from '../../../platform/client-address.ts'
import { TokenBuckets } from '../../../platform/concurrency/token-buckets.ts'
import type { Mailbox } from './arrival.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** What a message may weigh on average when a team gets as many as it may: 20,000 of them are 2 GB. */
const AVERAGE_BYTES = 100_000

/**
 * How much mail unknown senders may bring: so many messages a minute from an address, so many an hour, and bytes with them, for a team.
 * Counted in this process. Servers beside us, which speak for many, have no limit of their own. What is too much is to be
 * brought later: mail servers wait, and try again for days.
 */
export class ReceivingLimits {
  readonly #isPerAddress: boolean
  readonly #addresses: TokenBuckets
  readonly #messages: TokenBuckets
  readonly #bytes: TokenBuckets

  /** A limit of 0 is none. */
  constructor({ perAddress, perTeam }: { perAddress: number; perTeam: number }) {
    this.#isPerAddress = perAddress > 0
    this.#addresses = new TokenBuckets({ limit: perAddress, periodMs: MINUTE_MS })
    this.#messages = new TokenBuckets({ limit: perTeam, periodMs: HOUR_MS })
    this.#bytes = new TokenBuckets({ limit: perTeam * AVERAGE_BYTES, periodMs: HOUR_MS })
  }

  /** Why mail from this address to this mailbox has to wait, or null. */
  objection(address: string, mailbox: Mailbox): string | null {
    if (this.#isLimited(address) && !this.#addresses.has(clientOf(address)))
      return 'Too much mail from your address, try again later'
    if (mailbox.kind !== 'report' && !(this.#messages.has(mailbox.team) && this.#bytes.has(mailbox.team)))
      return 'Too much mail for this recipient, try again later'
    return null
  }

  /** Counts a message that is taken in. */
  count(address: string, mailboxes: readonly Mailbox[], bytes: number) {
    if (this.#isLimited(address)) this.#addresses.take(clientOf(address))
    const teams = new Set(mailboxes.flatMap((mailbox) => (mailbox.kind === 'report' ? [] : [mailbox.team])))
    for (const team of teams) {
      this.#messages.take(team)
      this.#bytes.take(team, bytes)
    }
  }

  /** To look an address up takes 5 µs, three times for a message. */
  #isLimited(address: string): boolean {
    return this.#isPerAddress && isPublicAddress(address)
  }
}
