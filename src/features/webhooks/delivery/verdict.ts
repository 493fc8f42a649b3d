import type { HttpOutcome } from '../../../adapters/outgoing-http/outgoing-http.ts'
import type { Attempt } from './attempt.ts'
import type { Claimed } from './queries.ts'
import { nextAttempt } from './retry.ts'

/** What one attempt means for its event and for the endpoint. */
export interface Verdict {
  readonly isSuccess: boolean
  /** The endpoint has said that it does not want anything any more. */
  readonly isGone: boolean
  /** When to try again; null: never, by itself. A replay has no say in it. */
  readonly nextAttemptAt: Date | null
}

const GONE = 410

export function verdictOn(
  { failures }: Pick<Claimed, 'failures'>,
  { outcome }: Pick<Attempt, 'outcome'>,
  { now, random }: { now: Date; random: number },
): Verdict {
  if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300)
    return { isSuccess: true, isGone: false, nextAttemptAt: null }
  if (outcome.kind === 'answered' && outcome.status === GONE)
    return { isSuccess: false, isGone: true, nextAttemptAt: null }
  const notBeforeSeconds = retryAfterSeconds(outcome, now)
  return {
    isSuccess: false,
    isGone: false,
    nextAttemptAt: nextAttempt(failures + 1, { now, random, notBeforeSeconds }),
  }
}

/** `Retry-After: 120`, or a date. */
function retryAfterSeconds(outcome: HttpOutcome, now: Date): number {
  const text = outcome.kind === 'answered' ? outcome.headers['retry-after'] : undefined
  if (text === undefined) return 0
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1_000
  return Number.isFinite(seconds) ? seconds : 0
}

const BUSY = new Set([429, 502, 503, 504])

/** Nobody answered, or somebody asked us to slow down. */
export const isOverwhelmed = (outcome: HttpOutcome): boolean => outcome.kind !== 'answered' || BUSY.has(outcome.status)
