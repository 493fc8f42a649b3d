/** A change of a rate, in messages a second. Null is no limit. */
export interface PaceChange {
  readonly at: string
  readonly about: string
  readonly from_rate: number | null
  readonly to_rate: number | null
}

export interface PaceLine {
  readonly name: string
  /** Messages a minute; null where there was no limit. */
  readonly values: readonly (number | null)[]
}

export interface PaceSeries {
  /** When each interval begins. */
  readonly times: readonly Date[]
  readonly lines: readonly PaceLine[]
}

const POINTS = 120
/** More lines than that nobody tells apart. */
const MAX_LINES = 4

/**
 * Rates over time, from their changes, the newest first. Changes come at any time and a chart has even intervals: of each the lowest rate
 * is shown, so that no cut is lost between two points.
 */
export function paceSeries(
  changes: readonly PaceChange[],
  { since, now }: { readonly since: number; readonly now: number },
): PaceSeries {
  const step = (now - since) / POINTS
  const starts = Array.from({ length: POINTS }, (_, index) => since + index * step)
  const names = [...new Set(changes.map(({ about }) => about))].slice(0, MAX_LINES)
  const lineOf = (name: string): PaceLine => {
    const own = changes.filter(({ about }) => about === name).toReversed()
    return { name, values: starts.map((start) => lowestIn(own, start, start + step)) }
  }
  const lines = names.map(lineOf).filter(({ values }) => values.some((value) => value !== null))
  return { times: starts.map((start) => new Date(start)), lines }
}

/** `changes` are in order. */
function lowestIn(changes: readonly PaceChange[], start: number, end: number): number | null {
  const atOf = ({ at }: PaceChange) => new Date(at).getTime()
  const before = changes.findLast((change) => atOf(change) <= start)
  const [first] = changes
  const atStart = before ? before.to_rate : (first?.from_rate ?? null)
  const within = changes.filter((change) => atOf(change) > start && atOf(change) <= end).map(({ to_rate }) => to_rate)
  const rates = [atStart, ...within].filter((rate) => rate !== null)
  return rates.length > 0 ? Math.round(Math.min(...rates) * 600) / 10 : null
}
