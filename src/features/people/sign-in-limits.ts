import { Problem } from '../../kernel/http/problem.ts'
import { clientOf } from '../../platform/client-address.ts'
import { TokenBuckets } from '../../platform/concurrency/token-buckets.ts'

/**
 * How often unauthenticated clients may try. What they try to guess has 256 bits: the limits are there so that trying takes no part of the database
 * to speak of, and that nobody is flooded with mail. Whether an address is known makes no difference to any of them.
 */
export class SignInLimits {
  /** Many people may share an address, behind a proxy that does not tell them apart for instance. */
  readonly #attempts = new TokenBuckets({ limit: 100, periodMs: 60_000 })
  readonly #mails = new TokenBuckets({ limit: 30, periodMs: 10 * 60_000 })
  readonly #mailsTo = new TokenBuckets({ limit: 5, periodMs: 15 * 60_000 })
  /** For who has millions of addresses. */
  readonly #allMails = new TokenBuckets({ limit: 600, periodMs: 60_000, maxKeys: 1 })

  admitAttempt(address: string) {
    if (!this.#attempts.take(clientOf(address))) throw tooMany()
  }

  /** Each is asked before any is charged: what one refuses does not count against the others. */
  admitMail(address: string, email: string) {
    const [client, to] = [clientOf(address), email.toLowerCase()]
    const isWithinLimits = this.#mails.has(client) && this.#mailsTo.has(to) && this.#allMails.has('')
    if (!isWithinLimits) throw tooMany()
    this.#mails.charge(client)
    this.#mailsTo.charge(to)
    this.#allMails.charge('')
  }
}

const tooMany = () => new Problem('rate_limit_exceeded', 'Too many sign-in attempts. Try again in a few minutes.')
