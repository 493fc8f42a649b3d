import { Problem } from '../../kernel/http/problem.ts'
import { TokenBuckets } from '../../platform/concurrency/token-buckets.ts'

const HOUR_MS = 3_600_000

/**
 * How many invitations are mailed. Who gets one has not asked for it, and it comes from the address of the installation: nobody may
 * use it to fill a mailbox, nor to write to the whole world.
 */
export class InvitationLimit {
  readonly #byPerson = new TokenBuckets({ limit: 50, periodMs: HOUR_MS })
  readonly #byAddress = new TokenBuckets({ limit: 5, periodMs: HOUR_MS })

  take(userId: string, email: string) {
    if (!this.#byAddress.take(email.toLowerCase()))
      throw new Problem(
        'rate_limit_exceeded',
        'This address has got several invitations already. Try again in an hour.',
      )
    if (!this.#byPerson.take(userId))
      throw new Problem('rate_limit_exceeded', 'You have sent many invitations. Try again in an hour.')
  }
}
