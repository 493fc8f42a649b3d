import { type Config, SETTINGS } from '../../../../platform/settings/config.ts'

/** When mail that was refused for now is tried again, and when it is given up. */
export interface RetryPolicy {
  /** How long to wait after the first, second, … temporary failure; from then on, the last one again and again. */
  readonly scheduleSeconds: readonly number[]
  /** A recipient that could not be reached for so long has bounced. */
  readonly giveUpAfterSeconds: number
}

export const retryPolicyOf = (config: Pick<Config, 'RETRY_SCHEDULE' | 'GIVE_UP_AFTER'>): RetryPolicy => ({
  scheduleSeconds: config.RETRY_SCHEDULE,
  giveUpAfterSeconds: config.GIVE_UP_AFTER,
})

/** Where no setting says otherwise. */
export const DEFAULT_RETRY: RetryPolicy = {
  scheduleSeconds: SETTINGS.RETRY_SCHEDULE.parse(undefined),
  giveUpAfterSeconds: SETTINGS.GIVE_UP_AFTER.parse(undefined),
}

/** When mail that is due then is given up. */
export const giveUpAfter = (due: Date, seconds: number) => new Date(due.getTime() + seconds * 1_000)

/** When to try again after this many attempts, or null when it is time to give up. */
export function nextAttempt(
  attempts: number,
  {
    now,
    giveUpAt,
    notBeforeSeconds = 0,
    retry = DEFAULT_RETRY,
  }: { now: Date; giveUpAt: Date; notBeforeSeconds?: number; retry?: RetryPolicy },
): Date | null {
  const { scheduleSeconds } = retry
  const seconds = Math.max(scheduleSeconds[attempts - 1] ?? scheduleSeconds.at(-1)!, notBeforeSeconds)
  const next = new Date(now.getTime() + seconds * 1_000)
  return next < giveUpAt ? next : null
}
