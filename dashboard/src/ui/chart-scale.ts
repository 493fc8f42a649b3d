/** The smallest round number that is not below the largest value, and whose quarters are whole: they are written at the grid. */
export function ceilingOf(largest: number): number {
  const small = [4, 8, 12].find((value) => value >= largest)
  if (small) return small
  const power = 10 ** Math.floor(Math.log10(largest))
  return [1, 1.2, 1.6, 2, 4, 6, 8, 10].map((step) => step * power).find((value) => value >= largest)!
}

/** Null where there is nothing to say. */
export type Values = readonly (number | null)[]

/** A line for each run of values; where there is none, there is no line. */
export const pathOf = (values: Values, x: (index: number) => number, y: (value: number) => number) =>
  values
    .map((value, index) =>
      value === null ? '' : `${(values[index - 1] ?? null) === null ? 'M' : 'L'}${x(index)},${y(value)}`,
    )
    .join('')

/** A value without a line to it. */
export const isAlone = (values: Values, index: number) =>
  (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null

/** Where a key leads from one point to another; null for a key that means nothing to a chart. */
export function pointAfter(key: string, at: number, count: number): number | null {
  const far = Math.max(2, Math.round(count / 10))
  const points: Record<string, number> = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - far,
    PageUp: at + far,
    Home: 0,
    End: count - 1,
  }
  const next = points[key]
  return next === undefined ? null : Math.min(count - 1, Math.max(0, next))
}
