// How far people jump: what the slider stops at. Words that the API takes, too.

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export interface Step {
  readonly seconds: number
  readonly words: string
}

const several = (count: number, unit: string, size: number): Step => ({
  seconds: count * size,
  words: `${count} ${unit}${count === 1 ? '' : 's'}`,
})

export const STEPS: readonly Step[] = [
  ...[1, 5, 15, 30].map((count) => several(count, 'minute', MINUTE)),
  ...[1, 2, 3, 6, 12].map((count) => several(count, 'hour', HOUR)),
  ...[1, 2, 3, 5, 7, 14, 30, 60, 90].map((count) => several(count, 'day', DAY)),
]

/** The stop that is nearest to a duration, as people feel distances in time: 2 hours are as far from 1 as 4. */
export function nearestStep(seconds: number): number {
  const distance = (step: Step) => Math.abs(Math.log(step.seconds / Math.max(seconds, 1)))
  return STEPS.reduce((best, step, at) => (distance(step) < distance(STEPS[best]!) ? at : best), 0)
}
