import type { Outcome, Untried } from '../../../../mail/outcome.ts'
import type { IdentityKind, PacedKind } from './identity.ts'

/** What an answer says about how fast, and whether at all, mail of an identity may go on. */
export interface PaceSignal {
  /** Set: this identity is to go slower. */
  readonly cut: PacedKind | null
  /** Set: mail of this identity is to wait. */
  readonly pause: { readonly kind: IdentityKind; readonly seconds: number | undefined } | null
  /** How it counts for those that are held back already. What `greylisted` says depends on which attempt it was. */
  readonly counts: 'taken' | 'deferred' | 'greylisted' | null
}

const TAKEN: PaceSignal = { cut: null, pause: null, counts: 'taken' }
export const NO_SIGNAL: PaceSignal = { cut: null, pause: null, counts: null }
const GREYLISTED: PaceSignal = { cut: null, pause: null, counts: 'greylisted' }

export function paceSignalOf(outcome: Outcome | Untried): PaceSignal {
  if (outcome.kind === 'postponed') return NO_SIGNAL
  if (outcome.kind !== 'deferred') return TAKEN
  const { about = null, means = outcome.isThrottled ? 'throttle' : undefined } = outcome
  const isThrottle = means === 'throttle'
  const isRefusal = means === 'block' || outcome.sourceRefusedFor !== undefined
  if (outcome.class === 'greylisted') return GREYLISTED
  // What stands in the way of one recipient or one message says nothing about the others.
  if (about === 'recipient' || about === 'message') return NO_SIGNAL
  if (outcome.unreachable && !isThrottle && !isRefusal) return NO_SIGNAL
  const kind = about ?? 'source'
  // Which links a mail has is not known before each of it: such mail waits, and is not counted out.
  const isPause = isRefusal || outcome.pauseSeconds !== undefined || (isThrottle && kind === 'url_domain')
  return {
    cut: isThrottle && kind !== 'url_domain' ? kind : null,
    pause: isPause ? { kind, seconds: outcome.pauseSeconds } : null,
    counts: 'deferred',
  }
}

/** Of the answers to one conversation: the one that asks for most. */
export const strongestSignal = (
  outcomes: readonly (Outcome | Untried)[],
): { lesson: PaceSignal; outcome: Outcome | null } => {
  let strongest: { lesson: PaceSignal; outcome: Outcome | null } = { lesson: NO_SIGNAL, outcome: null }
  for (const outcome of outcomes) {
    if (outcome.kind === 'postponed') continue
    const lesson = paceSignalOf(outcome)
    if (lesson.cut) return { lesson, outcome }
    if (rank(lesson) > rank(strongest.lesson)) strongest = { lesson, outcome }
  }
  return strongest
}

const RANKS = { deferred: 3, greylisted: 2, taken: 1 } as const

const rank = ({ counts }: PaceSignal) => (counts === null ? 0 : RANKS[counts])
