import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../../../kernel/db/database.ts'
import { withRetries } from '../../../kernel/db/with-retries.ts'
import { findHolder, type HeldClock, releaseClock, takeClock } from './clock-store.ts'
import type { ClockParts } from './due-work.ts'

/** Longer than it takes until a process that is gone is known to be gone. */
const LOCK_TIMEOUT_MS = 8_000
const ASK_AGAIN_MS = 100
const RELEASE_SECONDS = 10

/** Sandboxes whose clocks this process holds. */
const inFlight = new WeakMap<Database['presence'], Set<string>>()

/**
 * Does something while this process holds the clock of a sandbox, and releases it in the end, to stand still or to run, or as it was before.
 * Null: another process holds it, or there is no such sandbox. Who had it and was killed is waited for until that is certain.
 */
export async function withClock<Result>(
  parts: ClockParts,
  { team, isFrozen = null }: { readonly team: string; readonly isFrozen?: boolean | null },
  work: (clock: HeldClock) => Promise<Result>,
): Promise<Result | null> {
  const { db } = parts
  const here = inFlight.get(db.presence) ?? new Set()
  inFlight.set(db.presence, here)
  if (here.has(team)) return null
  here.add(team)
  try {
    const taken = await takePatiently(parts, team)
    if (!taken) return null
    let wanted: boolean | null = null
    try {
      const result = await work(taken)
      wanted = isFrozen
      return result
    } finally {
      db.clock.pinned.delete(team)
      await withRetries(() => releaseClock(db, taken, wanted), { seconds: RELEASE_SECONDS })
    }
  } finally {
    here.delete(team)
  }
}

/** A holder whose heart beats is alive. */
async function takePatiently(parts: ClockParts, team: string): Promise<HeldClock | null> {
  const until = performance.now() + LOCK_TIMEOUT_MS
  let first: string | null = null
  for (;;) {
    const taken = await takeClock(parts, team)
    if (taken) return taken
    const beat = await findHolder(parts.db, team)
    if (beat === undefined || performance.now() > until) return null
    first ??= beat
    if (beat !== null && beat !== first) return null
    await wait(ASK_AGAIN_MS)
  }
}
