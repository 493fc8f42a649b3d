/** What is committed later than this after its time is found by a sweep. */
export const OVERLAP_MS = 2_000
export const SWEEP_EVERY_MS = 5_000
/** Of all time, sweeps may take one part in this many. */
export const SWEEP_SHARE = 20

export interface ClaimStart {
  /** Rows that were due before this are not looked at. Null: all are, it is a sweep. */
  readonly since: Date | null
}

/**
 * Where the next claim begins. Rows that were claimed stay in the index until a vacuum, which a long transaction anywhere (a backup)
 * holds up; a claim from the beginning walks through all of them again, and after three minutes at 100 emails a second that took 26 ms
 * instead of 0.6. So a claim begins a little before where the last one ended. What comes later than that, because its commit took long
 * or another node gave it back, is found by a sweep from the beginning, at least every five seconds as long as that is cheap.
 */
export class ClaimCursor {
  #end: Date | null = null
  #nextSweepAt = 0
  #wasReset = false

  begin(): ClaimStart {
    this.#wasReset = false
    if (!this.#end || performance.now() >= this.#nextSweepAt) return { since: null }
    return { since: new Date(this.#end.getTime() - OVERLAP_MS) }
  }

  /** When what the claim found was due. Less than its limit is all there is up to now; otherwise it looked no further than the last. */
  finish(
    { since }: ClaimStart,
    { found, limit, now, tookMs }: { found: readonly Date[]; limit: number; now: Date; tookMs: number },
  ) {
    if (!since) this.#nextSweepAt = performance.now() + Math.max(SWEEP_EVERY_MS, tookMs * SWEEP_SHARE)
    if (this.#wasReset) return
    const upTo = found.length < limit ? now.getTime() : Math.max(...found.map((dueAt) => dueAt.getTime()))
    this.#end = new Date(upTo)
  }

  /** Something has come back that was due long ago. */
  reset() {
    this.#end = null
    this.#wasReset = true
  }
}
