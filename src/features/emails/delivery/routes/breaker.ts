/**
 * The circuit breaker of a route, as a pure function of state, event and time (milliseconds).
 *
 * Closed: mail goes. A fault of the route opens it: mail takes another route, or waits. When the time is over, one mail is let through
 * (half-open). Its answer closes the breaker; another fault opens it again, for longer. Mail that was under way when it opened says nothing
 * new, whatever it comes to.
 */
export interface Breaker {
  readonly state: 'closed' | 'open' | 'half_open'
  /** When it was last opened from closed, or closed. */
  readonly since: number
  /** In a row. */
  readonly faults: number
  /** When it last opened or closed: what began before says nothing new. */
  readonly changedAt: number
  /** Of an open one: when a mail is let through. Of a half-open one: when the mail that was let through is given up on. */
  readonly retryAt: number
}

export type BreakerEvent =
  /** A mail wants to go. */
  | { readonly kind: 'asked' }
  /** One that began then found the route at fault. */
  | { readonly kind: 'failed'; readonly startedAt: number }
  /** One that began then was answered, whatever was said about it. */
  | { readonly kind: 'answered'; readonly startedAt: number }

/** After the first, second, … fault in a row; then the last one again and again. */
export const RETRY_SCHEDULE_MS = [5_000, 15_000, 30_000, 60_000, 120_000, 300_000] as const
/** A mail that was let through and has not come back: its process may be gone. */
export const PROBE_MS = 60_000

export const closedBreaker = (now: number): Breaker => ({
  state: 'closed',
  since: now,
  faults: 0,
  changedAt: Number.NEGATIVE_INFINITY,
  retryAt: 0,
})

/** Further ahead than any wait, and than clocks of several machines differ: the clock was set back meanwhile. */
export const isAhead = (moment: number, now: number) => moment - now > RETRY_SCHEDULE_MS.at(-1)!

/** Whether a mail may go now. One that goes says so with `asked`. */
export const admits = ({ state, retryAt }: Breaker, now: number): boolean =>
  state === 'closed' || now >= retryAt || isAhead(retryAt, now)

export function nextBreaker(breaker: Breaker, event: BreakerEvent, now: number): Breaker {
  switch (event.kind) {
    case 'asked':
      if (breaker.state === 'closed' || !admits(breaker, now)) return breaker
      return { ...breaker, state: 'half_open', retryAt: now + PROBE_MS }
    case 'failed': {
      if (isOld(breaker, event, now) || breaker.state === 'open') return breaker
      const faults = Math.min(breaker.faults + 1, RETRY_SCHEDULE_MS.length)
      const since = breaker.state === 'closed' ? now : breaker.since
      return { state: 'open', since, faults, changedAt: now, retryAt: now + RETRY_SCHEDULE_MS[faults - 1]! }
    }
    case 'answered':
      if (breaker.state === 'closed' || isOld(breaker, event, now)) return breaker
      return { ...closedBreaker(now), changedAt: now }
  }
}

/** What began in the moment of the first fault is of those that failed with it. */
const isOld = ({ state, changedAt }: Breaker, { startedAt }: { readonly startedAt: number }, now: number) =>
  !isAhead(changedAt, now) && (state === 'closed' ? startedAt < changedAt : startedAt <= changedAt)
