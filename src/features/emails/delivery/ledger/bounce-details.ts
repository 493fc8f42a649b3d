import type { Bounce } from '../../../../mail/outcome.ts'
import { bounceTypeOf, DIAGNOSTIC_TYPE } from '../../../../mail/replies/diagnostic.ts'

/** What events say about a bounce. */
export interface BounceDetails extends Bounce {
  readonly message: string
  readonly diagnosticCode: string[]
}

/** Reports bring the type of their diagnostic along; a server's own reply has none. */
export const bounceDetails = (message: string, { type, subType }: Bounce): BounceDetails => ({
  ...{ message, type, subType },
  diagnosticCode: [DIAGNOSTIC_TYPE.test(message) ? message : `smtp; ${message}`],
})

/** A recipient of an email, as it is read. */
interface Recipient {
  readonly state: string
  readonly replies: readonly { readonly at: string; readonly reply: string; readonly bounce?: Bounce }[]
}

/**
 * The last bounce, as its event said it. The ledger stays as long as the email, events do not. Bounces of programs that did not write it down
 * are understood again from their words.
 */
export function lastBounceIn(recipients: readonly Recipient[] | null): BounceDetails | undefined {
  // Null: none of them is kept any more.
  const bounces = (recipients ?? [])
    .filter(({ state }) => state === 'bounced')
    .flatMap(({ replies }) => replies.findLast(({ bounce }) => bounce) ?? replies.at(-1) ?? [])
  const [last] = bounces.toSorted((one, other) => (one.at > other.at ? -1 : 1))
  return last && bounceDetails(last.reply, last.bounce ?? bounceTypeOf(null, last.reply))
}
