import type { LoadedEmail } from '../ledger/load.ts'
import type { Claimed, SettledRow } from '../ledger/queries.ts'
import type { SettledAttempt } from './attempt-record.ts'
import type { EmailOutcome } from './settle.ts'
import type { Verdict } from './verdict.ts'

/** What came of one recipient, seen when it happened. */
export interface Attempt {
  readonly row: Claimed
  readonly verdict: Verdict
  /** How long the other side took; for one that was not asked, 0. */
  readonly durationMs: number
  /** The route that it took, where there are several. */
  readonly route?: string | undefined
}

/** Who looks on. Nothing depends on it, so it must not throw, and it must be quick: it is called for each recipient. */
export interface DeliveryObserver {
  /** Called when an attempt has ended, before it is written down: also if that never comes about. */
  attempted(attempt: Attempt): void
  /** Called once it is written down. A recipient that is due again comes with `waiting`. */
  settled(settledRow: SettledRow): void
  /** Who wants to know all about each attempt, once it is written down. Null: nobody, and it costs nothing. Asked for each batch. */
  recorder?(): ((attempt: SettledAttempt) => void) | null
  /** Called once verdicts on recipients of one email are written down. */
  ended?(outcome: EmailOutcome & { readonly email: LoadedEmail }): void
}
