import { type HeldClock, makeDueNow, makeVirtual } from './clock-store.ts'
import type { ClockParts } from './due-work.ts'
import { step } from './step.ts'
import type { Wakeups } from './wakeups.ts'

/** Why an advance ended: it is there, its time is over, or there is nothing to move any more. */
export type End = 'arrived' | 'out_of_time' | 'gone' | 'stopped' | 'lost'

export interface Advance {
  readonly clock: HeldClock
  readonly steps: number
  readonly end: End
}

/** Signals are hints: it looks by itself when none comes. */
const POLL_MS = 50
/** Those who look after others find nothing new before the time goes on. */
const MAX_IMMEDIATE_RUNS = 3

/**
 * Takes a sandbox to a moment, from one moment at which something is due to the next. At each of them the clock stands still until all
 * that is due has been done, and all that follows from it; the ordinary workers do it, here or in other processes. Each step commits
 * with what it makes due: whoever is killed in between leaves a sandbox whose clock is at one of these moments.
 */
export async function advance(
  parts: ClockParts,
  taken: HeldClock,
  { target, withinMs, wakeups, stopping }: { target: Date; withinMs: number; wakeups: Wakeups; stopping: AbortSignal },
): Promise<Advance> {
  const { db, dueWork } = parts
  const until = performance.now() + withinMs
  let clock = taken
  let steps = 0
  let immediateRuns = 0
  let isInVain = false
  const ended = (end: End): Advance => {
    db.clock.pinned.delete(clock.team)
    return { clock, steps, end }
  }

  for (;;) {
    const { count } = wakeups
    // The workers of a process that stops begin nothing more: it says how far it got, and the next one goes on.
    const mayMove = performance.now() <= until && !stopping.aborted
    const seen = await step(parts, clock, { target, mayMove })
    if (seen.kind === 'gone' || seen.kind === 'stopped' || seen.kind === 'lost') return ended(seen.kind)
    if (seen.kind === 'quiet' && seen.isNothingNext && clock.now >= target) return ended('arrived')
    if (!mayMove) return ended('out_of_time')
    isInVain &&= seen.kind === 'waiting'
    if (seen.kind === 'busy') {
      await wakeups.after(count, POLL_MS)
    } else if (seen.kind === 'waiting') {
      // What is in flight is not moved: another clock is ahead of ours, and we wait for that moment.
      if (isInVain) await wakeups.after(count, POLL_MS)
      const mayRunNow = immediateRuns++ < MAX_IMMEDIATE_RUNS
      await db.transaction(async (trx) => {
        if (mayRunNow) await makeDueNow(trx, clock.team)
        await makeVirtual(trx, dueWork, { team: clock.team, real: trx.clock.now(), now: clock.now, isFirst: false })
      })
      isInVain = true
    } else if (seen.kind === 'moved') {
      immediateRuns = 0
      const isLater = seen.clock.now > clock.now
      clock = seen.clock
      if (seen.channels.length === 0) continue
      // What comes late for a moment is done at it, and does not make it two.
      if (isLater) steps++
      for (const channel of seen.channels) db.signals.announce(channel)
      await wakeups.after(count, POLL_MS)
    }
  }
}
