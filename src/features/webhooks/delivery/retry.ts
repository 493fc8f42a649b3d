import { hours, minutes } from '../../../kernel/jobs/job.ts'

/** How long to wait after the first, second, … failure. The one after the last is final: eight attempts in 28 hours. */
export const RETRY_SCHEDULE_SECONDS = [5, minutes(5), minutes(30), hours(2), hours(5), hours(10), hours(10)] as const

/** How long an event is tried, at most: each delay with its jitter. */
export const RETRY_SECONDS = RETRY_SCHEDULE_SECONDS.reduce((sum, seconds) => sum + seconds, 0) * 1.5

/** Either way, so that what failed together does not come back together. */
export const JITTER = 0.2

/** The last delay of the schedule, and the longest that a `Retry-After` can ask for. */
const MAX_DELAY_SECONDS = Math.max(...RETRY_SCHEDULE_SECONDS)

/** When to try again after this many failures, or null when it is time to give up. `random` is between 0 and 1. */
export function nextAttempt(
  failures: number,
  { now, random, notBeforeSeconds = 0 }: { now: Date; random: number; notBeforeSeconds?: number },
): Date | null {
  const scheduled = RETRY_SCHEDULE_SECONDS[failures - 1]
  if (scheduled === undefined) return null
  const seconds = scheduled * (1 - JITTER + 2 * JITTER * random)
  return new Date(now.getTime() + Math.max(seconds, Math.min(notBeforeSeconds, MAX_DELAY_SECONDS)) * 1_000)
}
