import type { Outcome, Untried } from '../../../../mail/outcome.ts'
import { lessonOf } from '../pace/lessons.ts'
import type { WarmUpKind } from './warm-up-store.ts'

/** What an answer says to the warm-up of a sender. */
export interface Hearing {
  /** Null: nothing. */
  readonly counts: 'taken' | 'deferred' | null
  /** It refuses this sender, and not only what it has sent. */
  readonly isBlock: boolean
}

/** Null: nobody has seen the message, so it was not sent. */
export function hearingOf(outcome: Outcome | Untried, { kind }: { readonly kind: WarmUpKind }): Hearing | null {
  if (outcome.kind === 'postponed') return null
  const { counts } = lessonOf(outcome)
  if (outcome.kind === 'deferred' && outcome.unreachable !== undefined && counts === null) return null
  return { counts: counts === 'greylisted' ? null : counts, isBlock: isBlock(outcome, kind) }
}

function isBlock(outcome: Outcome, kind: WarmUpKind): boolean {
  if (outcome.kind !== 'deferred') return false
  const { pause } = lessonOf(outcome)
  if (!pause || (outcome.means !== 'block' && outcome.sourceRefusedFor === undefined)) return false
  const isSource = pause.kind === 'source' || pause.kind === 'netblock'
  return kind === 'source' ? isSource : pause.kind === 'spf_domain' || pause.kind === 'dkim_domain'
}
