import type { Outcome, Untried } from '../../../../mail/outcome.ts'
import { DeferralShares } from './deferral-shares.ts'
import { type AnsweredMail, Greylisting } from './greylisting.ts'
import type { PacedKind } from './identity.ts'
import { ObservedRates } from './observed-rates.ts'
import { strongestSignal } from './pace-signal.ts'

/** What the answers to a conversation mean for the pace. */
export interface HeardSignal {
  readonly counts: 'taken' | 'deferred'
  /** Whose controller is to slow down, and the answer that says so. */
  readonly cut: { readonly kind: PacedKind; readonly outcome: Outcome } | null
}

/** Answers, judged with what was heard of the same destination before. */
export class HeardAnswers {
  readonly #observed = new ObservedRates()
  readonly #deferrals = new DeferralShares()
  readonly #greylisting = new Greylisting()

  /** Null: they say nothing about the pace. `destination` is what the mail counts as, `sender` its SPF domain. */
  hear(
    outcomes: readonly (Outcome | Untried)[],
    { destination, sender, now, ...mail }: AnsweredMail & { destination: string; sender: string; now: number },
  ): HeardSignal | null {
    const { lesson: said, outcome } = strongestSignal(outcomes)
    const { counts, cut } = this.#greylisting.paceSignalOf(said, destination, { sender, ...mail })
    if (counts !== 'taken' && counts !== 'deferred') return null
    this.#observed.count(destination, now)
    const isTooMuch = this.#deferrals.heard(destination, counts, now)
    const kind = cut ?? (isTooMuch ? 'source' : null)
    return { counts, cut: kind && outcome && { kind, outcome } }
  }

  /** Messages in a second. */
  rateOf(destination: string, now: number): number {
    return this.#observed.rateOf(destination, now)
  }
}
