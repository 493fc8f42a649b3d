import { hours, minutes } from '../../../../kernel/jobs/job.ts'

/** After the first, second, … refusal in a row; from then on the last one. Lists forget an address within hours to days. */
const PAUSE_SECONDS = [minutes(15), hours(1), hours(4)] as const
/** What was refused longer ago says nothing about today. */
export const FORGET_SECONDS = hours(72)

export interface PauseState {
  readonly refusals: number
  readonly pausedUntil: Date
}

/** A refusal in a conversation that began then; with how long, if the reply or its rule says so. */
export interface Refusal {
  readonly startedAt: Date
  readonly seconds?: number | undefined
}

/** The pause that follows from a refusal. Null: what began before the last pause was over has said nothing new. */
export function nextPause(known: PauseState | null, { startedAt, seconds }: Refusal, now: Date): PauseState | null {
  const after = (length: number) => new Date(now.getTime() + length * 1_000)
  if (!known) return { refusals: 1, pausedUntil: after(Math.max(1, seconds ?? PAUSE_SECONDS[0])) }
  if (known.pausedUntil > startedAt) return null
  const isForgotten = known.pausedUntil.getTime() <= now.getTime() - FORGET_SECONDS * 1_000
  const refusals = isForgotten ? 1 : Math.min(known.refusals + 1, PAUSE_SECONDS.length)
  return { refusals, pausedUntil: after(Math.max(PAUSE_SECONDS[refusals - 1]!, seconds ?? 0)) }
}

/** Whether mail that was taken in a conversation which began then shows that a pause is over for good. */
export const isEndedBy = ({ pausedUntil }: Pick<PauseState, 'pausedUntil'>, startedAt: Date) => startedAt >= pausedUntil
