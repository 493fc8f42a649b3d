import { OVERLAP_MS, SWEEP_EVERY_MS, SWEEP_SHARE } from './claim-cursor.ts'

/** A key of which less was claimed has left few dead rows: it is not worth two index probes in each claim. */
const MIN_CLAIMED = 20
const MAX_CURSORS = 200
/** Of keys that were claimed at all since the last sweep that was quick. */
const MAX_KEYS = 10_000
/** A sweep within this time met few dead rows: no cursors are needed. */
const QUICK_SWEEP_MS = 3

/** Keys are UUIDs: in text they sort as in PostgreSQL. */
const FIRST_KEY = '00000000-0000-0000-0000-000000000000'
const LAST_KEY = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** A part of the index without a cursor, and the key behind it, which has one unless `since` is null. */
export interface Gap {
  readonly above: string
  readonly below: string
  /** Rows of the key `below` that were due before this are not looked at. */
  readonly since: Date | null
}

export interface KeyedClaim {
  readonly isSweep: boolean
  readonly gaps: readonly Gap[]
}

/** What a claim has found of one key, in the order of time. */
export interface FoundOfKey {
  readonly key: string
  readonly rows: number
  /** It brought as many rows as it could have: there may be more behind them. */
  readonly isCut: boolean
  /** When the last of them was due. */
  readonly latest: Date
}

export interface KeyedOutcome {
  readonly found: readonly FoundOfKey[]
  /** Of a key with a cursor of which nothing was found: whether that is so because nothing is due. */
  isLookedAt(key: string): boolean
  readonly now: Date
  readonly tookMs: number
}

interface Cursor {
  end: number
  claimed: number
}

/**
 * Where a claim begins that goes from key to key (webhooks, teams), an index probe each. It is what `ClaimCursor` is for a queue without
 * keys: claimed rows stay in the index until a vacuum, which a long transaction anywhere holds up. A walk from the beginning goes
 * through all of them, to find the next key and again to find its rows: 3,000 mails under an old snapshot made 327 buffers 3,906. So the
 * keys with the most claimed rows are not looked for: they are probed from where their last claim ended, and the walk goes through the
 * gaps between them. As long as sweeps are quick, few keys have a cursor.
 */
export class KeyedCursors {
  readonly #cursors = new Map<string, Cursor>()
  #nextSweepAt = 0
  #wasReset = false

  /** Begins behind this key. */
  begin(after = FIRST_KEY): KeyedClaim {
    this.#wasReset = false
    const isSweep = performance.now() >= this.#nextSweepAt
    return { isSweep, gaps: gapsBetween(isSweep ? [] : this.#hottest(), after) }
  }

  /** Looks at these keys alone: between them there is nothing to walk. */
  beginWith(keys: readonly string[]): KeyedClaim {
    this.#wasReset = false
    const sinceOf = (key: string) => {
      const cursor = this.#cursors.get(key)
      return new Date(cursor && cursor.claimed >= MIN_CLAIMED ? cursor.end - OVERLAP_MS : 0)
    }
    return { isSweep: false, gaps: keys.map((key) => ({ above: key, below: key, since: sinceOf(key) })) }
  }

  finish({ isSweep, gaps }: KeyedClaim, { found, isLookedAt, now, tookMs }: KeyedOutcome) {
    if (isSweep) {
      this.#nextSweepAt = performance.now() + Math.max(SWEEP_EVERY_MS, tookMs * SWEEP_SHARE)
      if (tookMs < QUICK_SWEEP_MS) this.#cursors.clear()
    }
    if (this.#wasReset) return
    const ends = new Map<string, number>()
    for (const { below, since } of gaps) if (since && isLookedAt(below)) ends.set(below, now.getTime())
    for (const { key, rows, isCut, latest } of found) {
      const cursor = this.#cursors.get(key) ?? { end: 0, claimed: 0 }
      this.#cursors.set(key, { end: cursor.end, claimed: cursor.claimed + rows })
      ends.set(key, isCut ? latest.getTime() : now.getTime())
    }
    for (const [key, end] of ends) {
      const cursor = this.#cursors.get(key)
      if (cursor) cursor.end = end
    }
    if (this.#cursors.size > MAX_KEYS) this.#cursors.clear()
  }

  /** Something has come back that was due long ago: the next claim looks at everything. */
  reset() {
    this.#cursors.clear()
    this.#nextSweepAt = 0
    this.#wasReset = true
  }

  #hottest(): [string, Cursor][] {
    const hot = [...this.#cursors].filter(([, { claimed }]) => claimed >= MIN_CLAIMED)
    if (hot.length <= MAX_CURSORS) return hot
    return hot.sort(([, one], [, other]) => other.claimed - one.claimed).slice(0, MAX_CURSORS)
  }
}

function gapsBetween(cursors: readonly [string, Cursor][], after: string): Gap[] {
  const gaps: Gap[] = []
  let above = after
  for (const [key, { end }] of cursors.filter(([key]) => key > after).sort(([a], [b]) => (a < b ? -1 : 1))) {
    gaps.push({ above, below: key, since: new Date(end - OVERLAP_MS) })
    above = key
  }
  return [...gaps, { above, below: LAST_KEY, since: null }]
}
