import { hours, minutes } from '../../../kernel/jobs/job.ts'

/** How long to wait after the first, second, … failure. The one after the last is final: eight attempts in 28 hours. */
export const LADDER_SECONDS = [5, minutes(5), minutes(30), hours(2), hours(5), hours(10), hours(10)] as const

/** Either way, so that what failed together does not come back together. */
export const JITTER = 0.2

/** Longer than the longest rung nobody can make us wait. */
const LONGEST_SECONDS = Math.max(...LADDER_SECONDS)

/** When to try again after this many failures, or null when it is time to give up. `random` is between 0 and 1. */
export function nextAttempt(
  failures: number,
  { now, random, notBeforeSeconds = 0 }: { now: Date; random: number; notBeforeSeconds?: number },
): Date | null {
  const rung = LADDER_SECONDS[failures - 1]
  if (rung === undefined) return null
  const seconds = rung * (1 - JITTER + 2 * JITTER * random)
  return new Date(now.getTime() + Math.max(seconds, Math.min(notBeforeSeconds, LONGEST_SECONDS)) * 1_000)
}
