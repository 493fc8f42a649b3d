export interface Range {
  /** The first row that is drawn. */
  readonly first: number
  /** The one behind the last. */
  readonly end: number
}

/** Drawn beside what is in sight, so that a quick turn of the wheel shows no empty place. */
const BESIDE = 8

export function visibleRange(scrollTop: number, height: number, rowHeight: number, count: number): Range {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - BESIDE)
  return { first: Math.min(first, count), end: Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + BESIDE) }
}

/** By how many rows that one, or the next that is still there, has moved. */
export function shiftOf(old: readonly string[], ids: readonly string[], index: number): number {
  for (let at = index; at < Math.min(old.length, index + 50); at++) {
    const now = ids.indexOf(old[at]!)
    if (now >= 0) return now - at
  }
  return 0
}
