/** What counters are kept of: quarters of an hour, and hours and days of UTC, which are their sums. */
export type Span = 'quarter' | 'hour' | 'day'

export const SPAN_MS: Readonly<Record<Span, number>> = { quarter: 900_000, hour: 3_600_000, day: 86_400_000 }

/** Whole spans of one length. */
export interface Piece {
  readonly span: Span
  readonly from: number
  readonly to: number
}

interface Range {
  /** Both are the beginnings of quarters of an hour. */
  readonly from: number
  readonly to: number
  /** Of which no piece is longer. */
  readonly longest: Span
  /** Where no span may be on both sides. */
  readonly cuts?: readonly number[]
}

const NEXT_SHORTER: Readonly<Record<Span, Span | null>> = { day: 'hour', hour: 'quarter', quarter: null }

/** The fewest counters that a range is made of, in the order of time. */
export function piecesOf({ from, to, longest, cuts = [] }: Range): Piece[] {
  const bounds = [from, ...cuts.filter((cut) => cut > from && cut < to).sort((a, b) => a - b), to]
  const pieces: Piece[] = []
  for (const [index, bound] of bounds.slice(1).entries())
    for (const piece of split(bounds[index]!, bound, longest)) {
      const last = pieces.at(-1)
      if (last?.span === piece.span) pieces[pieces.length - 1] = { ...last, to: piece.to }
      else pieces.push(piece)
    }
  return pieces
}

/** The longest ones in the middle, and shorter ones at both ends. */
function split(from: number, to: number, span: Span): Piece[] {
  if (from >= to) return []
  const shorter = NEXT_SHORTER[span]
  if (shorter === null) return [{ span, from, to }]
  const [first, last] = [ceilTo(span, from), floorTo(span, to)]
  if (first >= last) return split(from, to, shorter)
  return [...split(from, first, shorter), { span, from: first, to: last }, ...split(last, to, shorter)]
}

export const floorTo = (span: Span, time: number) => Math.floor(time / SPAN_MS[span]) * SPAN_MS[span]
export const ceilTo = (span: Span, time: number) => Math.ceil(time / SPAN_MS[span]) * SPAN_MS[span]
