import { hours, minutes } from '../../../kernel/jobs/job.ts'

/** How long to wait after the first, second, … temporary failure; from then on, the last one again and again. */
const LADDER_SECONDS = [
  minutes(1),
  minutes(5),
  minutes(15),
  minutes(30),
  hours(1),
  hours(2),
  hours(4),
  hours(6),
] as const

/** A recipient that could not be reached for three days has bounced. */
export const GIVE_UP_AFTER_SECONDS = hours(72)

/** When mail that is due then is given up. */
export const giveUpAfter = (due: Date) => new Date(due.getTime() + GIVE_UP_AFTER_SECONDS * 1_000)

/** When to try again after this many attempts, or null when it is time to give up. */
export function nextAttempt(
  attempts: number,
  { now, giveUpAt, notBeforeSeconds = 0 }: { now: Date; giveUpAt: Date; notBeforeSeconds?: number },
): Date | null {
  const seconds = Math.max(LADDER_SECONDS[attempts - 1] ?? LADDER_SECONDS.at(-1)!, notBeforeSeconds)
  const next = new Date(now.getTime() + seconds * 1_000)
  return next < giveUpAt ? next : null
}
