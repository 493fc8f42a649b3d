import type { Outcome, Untried } from '../../../../mail/outcome.ts'
import { paceSignalOf } from '../pace/pace-signal.ts'
import type { WarmUpKind } from './warm-up-store.ts'

/** What an answer says to the warm-up of a sender. */
export interface WarmUpSignal {
  /** Null: nothing. */
  readonly counts: 'taken' | 'deferred' | null
  /** It refuses this sender, and not only what it has sent. */
  readonly isBlock: boolean
}

/** Null: nobody has seen the message, so it was not sent. */
export function warmUpSignalOf(
  outcome: Outcome | Untried,
  { kind }: { readonly kind: WarmUpKind },
): WarmUpSignal | null {
  if (outcome.kind === 'postponed') return null
  const { counts } = paceSignalOf(outcome)
  if (outcome.kind === 'deferred' && outcome.unreachable !== undefined && counts === null) return null
  return { counts: counts === 'greylisted' ? null : counts, isBlock: isBlock(outcome, kind) }
}

function isBlock(outcome: Outcome, kind: WarmUpKind): boolean {
  if (outcome.kind !== 'deferred') return false
  const { pause } = paceSignalOf(outcome)
  if (!pause || (outcome.means !== 'block' && outcome.sourceRefusedFor === undefined)) return false
  const isSource = pause.kind === 'source' || pause.kind === 'netblock'
  return kind === 'source' ? isSource : pause.kind === 'spf_domain' || pause.kind === 'dkim_domain'
}
